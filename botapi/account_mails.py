"""Mails about an account, each in the language of the person who gets it."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.core.mail import send_mail
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from botapi import languages
from botapi.models import User

LINK_DAYS: Final = 3
"""How long a link that proves an address works."""


def send_verification(user: User, token: str) -> None:
    """The link that proves the address of a new account."""
    with languages.of(user):
        _send(
            user.email,
            gettext("Your address on the Thousand ladder"),
            _hello(user),
            _open_within(),
            _link("bots:verify", token),
            gettext("Bots of an account play rated matches once its address is verified."),
            gettext("If you did not sign up, ignore this message."),
        )


def send_new_address(user: User, email: str, token: str) -> None:
    """The link that makes ``email`` the account's address."""
    with languages.of(user):
        _send(
            email,
            gettext("Your new address on the Thousand ladder"),
            _hello(user),
            _open_within(),
            _link("bots:new_email", token),
            gettext("Until then your account keeps the address that it has."),
            gettext("If you did not ask for it, ignore this message."),
        )


def tell_old_address(user: User, email: str) -> None:
    """Tell the address that the account had until now."""
    with languages.of(user):
        _send(
            email,
            gettext("Your account on the Thousand ladder has another address"),
            _hello(user),
            gettext("Messages about your account go to another address from now on, as you asked for."),
            gettext("If it was not you, tell the operators of the site at once."),
        )


def _hello(user: User) -> str:
    return gettext("Hello %(name)s,") % {"name": user.username}


def _open_within() -> str:
    return ngettext(
        "open this link within %(days)d day to show that this address is yours:",
        "open this link within %(days)d days to show that this address is yours:",
        LINK_DAYS,
    ) % {"days": LINK_DAYS}


def _link(name: str, token: str) -> str:
    return str(settings.SITE_URL).rstrip("/") + reverse(name, args=[token])


def _send(email: str, subject: str, *parts: str) -> None:
    send_mail(subject, "\n\n".join(parts) + "\n", None, [email])
