"""Reads of bots, versions and tokens: querysets and sentences, nothing is changed here."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.translation import gettext

from botapi.models import Bot, TokenScope, User, Version, Webhook, WebhookEvent
from botapi.state_reasons import state_reason


def public_bots() -> QuerySet[Bot]:
    """Every bot, with what its public line shows."""
    return Bot.objects.select_related("owner", "active_version")


def bots_of(author: User) -> QuerySet[Bot]:
    """An author's bots, by name."""
    return public_bots().filter(owner=author)


def bot_of(author: User, name: str) -> Bot | None:
    """One of the author's bots; None for a name that is nobody's or another's."""
    return bots_of(author).filter(name=name).first()


def versions_of(bot: Bot) -> QuerySet[Version]:
    """A bot's versions, the newest first, without their reports and archives."""
    return (
        bot.versions.select_related("bot", "artifact")
        .defer("check_report", "artifact__data")
        .order_by("-number")
    )


def version_of(author: User, name: str, number: int) -> Version | None:
    """One version of one of the author's bots, with its report."""
    found = Version.objects.filter(bot__owner=author, bot__name=name, number=number)
    return found.select_related("bot", "bot__owner", "artifact").defer("artifact__data").first()


def tokens_of(user: User) -> QuerySet[TokenScope]:
    """A person's tokens, the newest first."""
    return TokenScope.objects.filter(token__user=user).select_related("token").order_by("-token__created")


def webhook_of(user: User) -> Webhook | None:
    """Where a person's events go."""
    return Webhook.objects.filter(user=user).first()


def webhook_events(webhook: Webhook) -> QuerySet[WebhookEvent]:
    """The newest events of a webhook."""
    return webhook.events.order_by("-pk")[:20]


def why_waiting(bot: Bot) -> str:
    """Why the bot gets no rated match as far as this layer knows, in a sentence; empty when it may play.

    The layers above add their reasons: no season is open, the day's versions are used up.
    """
    if bot.state != Bot.State.ACTIVE:
        return _why_not_active(bot)
    active = bot.active_version
    if active is None or active.state != Version.State.PASSED:
        return _why_no_version(bot)
    if bot.owner is not None and not bot.owner.is_active:
        return gettext("Its author's account is closed.")
    if bot.owner is not None and bot.owner.email_verified_at is None:
        return gettext("Its author's e-mail address is not verified yet.")
    return ""


def _why_not_active(bot: Bot) -> str:
    words = {
        Bot.State.PAUSED: gettext("It is paused (%(reason)s)."),
        Bot.State.SUSPENDED: gettext("It is suspended: %(reason)s."),
        Bot.State.WITHDRAWN: gettext("It is withdrawn (%(reason)s)."),
    }
    return words[Bot.State(bot.state)] % {"reason": state_reason(bot).rstrip(".")}


def _why_no_version(bot: Bot) -> str:
    newest = bot.versions.only("number", "state", "check_code").order_by("-number").first()
    if newest is None:
        return gettext("No version was submitted yet.")
    if newest.state == Version.State.REFUSED:
        words = gettext("Version %(number)d failed its check; its report says why.")
    elif newest.state == Version.State.PASSED:
        words = gettext("No version of it plays; its author may choose version %(number)d.")
    elif newest.check_code == Version.LOST:
        words = gettext(
            "The check of version %(number)d could not be finished; it is tried again within an hour."
        )
    else:
        words = gettext("Version %(number)d is being checked; that takes up to a minute.")
    return words % {"number": newest.number}
