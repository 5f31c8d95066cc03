"""Forms of an author's pages: parsing and field errors only; verbs are called by the views."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from botapi.models import Bot, Complaint
from botapi.serializers import AUTHORS_KINDS, NOTES_CHARS
from botapi.tokens import BOTS_WRITE, READ, SCOPES


class NewBotForm(forms.Form):
    """Name and kind of a bot."""

    name = forms.CharField(
        label=_("Name"),
        min_length=3,
        max_length=40,
        help_text=_("3 to 40 of a-z, 0-9 and -. Names are public and stay taken."),
    )
    kind = forms.ChoiceField(label=_("Kind"), choices=AUTHORS_KINDS)
    notes = forms.CharField(
        label=_("Notes"),
        max_length=NOTES_CHARS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Public. What is special about it?"),
    )


class DescribeForm(forms.Form):
    """What an author says of a bot, and who may try theirs against it."""

    notes = forms.CharField(
        label=_("Notes"),
        max_length=NOTES_CHARS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Public. What is special about it?"),
    )
    allow_tests = forms.BooleanField(
        label=_("Others may play unrated test matches and practice games against it"), required=False
    )


class SubmitForm(forms.Form):
    """A version of a bot: a file for a sandboxed one, an address for an HTTP one."""

    file = forms.FileField(
        label=_("File"),
        help_text=_("A .py file up to 256 KiB, or a .zip up to 5 MiB with main.py at its top."),
    )
    url = forms.CharField(
        label=_("Endpoint"),
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
        help_text=_("Where your bot answers POST requests."),
    )
    label = forms.CharField(
        label=_("Label"),
        max_length=60,
        required=False,
        help_text=_("What changed? Shown on the public page of the bot."),
    )

    def __init__(self, bot: Bot, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["file" if bot.kind == Bot.Kind.HTTP else "url"]


def _scopes() -> list[tuple[str, str]]:
    return [(scope, f"{scope}: {words}") for scope, words in SCOPES.items()]


class NewTokenForm(forms.Form):
    """Name and scopes of a token."""

    name = forms.CharField(label=_("Name"), max_length=60, help_text=_("Where you will use it."))
    scopes = forms.MultipleChoiceField(
        label=_("Scopes"),
        choices=_scopes,
        widget=forms.CheckboxSelectMultiple,
        initial=[READ, BOTS_WRITE],
    )


class WebhookForm(forms.Form):
    """Where events shall go."""

    url = forms.CharField(
        label=_("Address"), max_length=500, widget=forms.URLInput(attrs={"placeholder": "https://"})
    )


class ComplaintForm(forms.Form):
    """What should not be shown of a bot, and why."""

    about = forms.ChoiceField(label=_("What should not be shown?"), choices=Complaint.About.choices)
    reason = forms.CharField(
        label=_("Why?"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Only the operators read it."),
    )
