"""What authors are told of their bots: by mail after the commit, by webhook as a row in the same transaction."""

from __future__ import annotations

from functools import partial

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext

from botapi import languages, webhooks
from botapi.models import Bot, Version
from botapi.state_reasons import state_reason


def tell_suspended(bot: Bot, details: str = "") -> None:
    """Why the bot gets no more matches, and what brings it back; ``details`` are for the author alone."""
    if bot.owner is None:
        return
    data = {"bot": bot.name, "cause": bot.suspended_for, "reason": bot.state_reason, "page": _page(bot)}
    webhooks.tell(bot.owner, webhooks.SUSPENDED, data)
    with languages.of(bot.owner):
        way_back = (
            gettext("Ask the operators.")
            if bot.suspended_for == Bot.Suspension.OPERATOR
            else gettext("It plays again as soon as one of its versions passes a check.")
        )
        first = gettext("your bot %(name)s gets no more matches:") % {"name": bot.name}
        subject = gettext("%(name)s is suspended on the Thousand ladder") % {"name": bot.name}
        _mail(bot, subject, [first, state_reason(bot), way_back, _page(bot), details])


def tell_resumed(bot: Bot) -> None:
    """The suspension is over."""
    if bot.owner is None:
        return
    webhooks.tell(bot.owner, webhooks.RESUMED, {"bot": bot.name, "page": _page(bot)})
    with languages.of(bot.owner):
        first = gettext("your bot %(name)s is no longer suspended and gets matches again.") % {
            "name": bot.name
        }
        subject = gettext("%(name)s plays again on the Thousand ladder") % {"name": bot.name}
        _mail(bot, subject, [first, _page(bot)])


def tell_checked(version: Version) -> None:
    """What the check of a version found: by webhook only."""
    report = version.check_report or {}
    data = {
        "bot": version.bot.name,
        "version": version.number,
        "state": version.state,
        "verdict": report.get("verdict", ""),
        "code": version.check_code,
        "message": report.get("message", ""),
        "page": _site() + reverse("bots:version", args=[version.bot.name, version.number]),
    }
    webhooks.tell(version.bot.owner, webhooks.CHECKED, data)


def _site() -> str:
    return str(settings.SITE_URL).rstrip("/")


def _page(bot: Bot) -> str:
    return _site() + reverse("own_bot", args=[bot.name])


def _mail(bot: Bot, subject: str, parts: list[str]) -> None:
    assert bot.owner is not None
    hello = gettext("Hello %(name)s,") % {"name": bot.owner.username}
    text = "\n\n".join([hello, *(part for part in parts if part)]) + "\n"
    # robust: a mail server that is away must not turn what was decided into an error.
    transaction.on_commit(partial(send_mail, subject, text, None, [bot.owner.email]), robust=True)
