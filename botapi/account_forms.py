"""Forms of accounts: parsing and field errors only; verbs are called by the views."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from botapi import languages


def _password(label: Any, autocomplete: str, help_text: Any = "") -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=200,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": autocomplete}),
        help_text=help_text,
    )


class SignUpForm(forms.Form):
    """Name, address, password."""

    username = forms.CharField(
        label=_("Name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
        help_text=_("Shown to everyone."),
    )
    email = forms.EmailField(
        label=_("E-mail"),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text=_("Shown to nobody. A link to prove it is sent there."),
    )
    password = _password(_("Password"), "new-password", _("At least 10 characters."))


class EmailForm(forms.Form):
    """Another address, and the password to show that it is the person who asks."""

    email = forms.EmailField(
        label=_("New e-mail"),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text=_("A link is sent there; once it is opened, the address is yours here."),
    )
    password = _password(_("Your password"), "current-password")


class LeaveForm(forms.Form):
    """The password, to show that it is meant."""

    password = _password(_("Your password"), "current-password")


class ResetForm(PasswordResetForm):
    """Django's, in the language of the person who gets the mail."""

    def send_mail(
        self, subject_template_name: Any, email_template_name: Any, context: Any, *rest: Any, **more: Any
    ) -> None:
        with languages.of(context["user"]):
            super().send_mail(subject_template_name, email_template_name, context, *rest, **more)


class SettingsForm(forms.Form):
    """How pages look; the language is for those with an account (guests choose it at the foot of the page)."""

    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=[("", _("as my browser asks")), *settings.LANGUAGES],
    )
    theme = forms.ChoiceField(
        label=_("Theme"),
        required=False,
        choices=[
            ("", _("as the system")),
            ("light", pgettext_lazy("theme", "light")),
            ("dark", pgettext_lazy("theme", "dark")),
        ],
    )
    deck = forms.ChoiceField(
        label=_("Colours of the suits"),
        choices=[("four", _("four: each suit has its own")), ("two", _("two: red and black"))],
    )
    motion = forms.ChoiceField(
        label=_("Motion"),
        required=False,
        choices=[("", _("as the system")), ("reduced", _("as little as possible"))],
    )

    def __init__(self, *args: Any, guest: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if guest:
            del self.fields["language"]
