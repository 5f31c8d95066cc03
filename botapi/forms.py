"""Forms of the pages: parsing and field errors only; verbs are called by the views."""

from __future__ import annotations

from typing import Any

from django import forms

from botapi.models import Bot
from botapi.serializers import AUTHORS_KINDS
from botapi.tokens import BOTS_WRITE, READ, SCOPES


class SignUpForm(forms.Form):
    """Name, address, password."""

    username = forms.CharField(
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
        help_text="Shown to everyone.",
    )
    email = forms.EmailField(
        label="E-mail",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text="Shown to nobody. A link to prove it is sent there.",
    )
    password = forms.CharField(
        max_length=200,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 10 characters.",
    )


class NewBotForm(forms.Form):
    """Name and kind of a bot."""

    name = forms.CharField(
        min_length=3, max_length=40, help_text="3 to 40 of a-z, 0-9 and -. Names are public and stay taken."
    )
    kind = forms.ChoiceField(choices=AUTHORS_KINDS)
    notes = forms.CharField(
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Public. What is special about it?",
    )


class SubmitForm(forms.Form):
    """A version of a bot: a file for a sandboxed one, an address for an HTTP one."""

    file = forms.FileField(
        help_text="A .py file up to 256 KiB, or a .zip up to 5 MiB with main.py at its top."
    )
    url = forms.CharField(
        label="Endpoint",
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
        help_text="Where your bot answers POST requests.",
    )
    label = forms.CharField(max_length=60, required=False, help_text="For your own eyes: what changed?")

    def __init__(self, bot: Bot, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["file" if bot.kind == Bot.Kind.HTTP else "url"]


class NewTokenForm(forms.Form):
    """Name and scopes of a token."""

    name = forms.CharField(max_length=60, help_text="Where you will use it.")
    scopes = forms.MultipleChoiceField(
        choices=[(scope, f"{scope}: {words}") for scope, words in SCOPES.items()],
        widget=forms.CheckboxSelectMultiple,
        initial=[READ, BOTS_WRITE],
    )


class WebhookForm(forms.Form):
    """Where events shall go."""

    url = forms.CharField(
        label="Address",
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
        help_text="https, on the public internet.",
    )
