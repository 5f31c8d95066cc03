"""Unrated test matches that authors ask for, with a daily quota (service.md, "Authors")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.utils.translation import gettext

from botapi.bots import lock_author
from botapi.errors import DomainError
from botapi.models import Bot, User, Version
from engine import PRESETS
from games import queries, queue
from games.check_queue import clocks_for
from games.models import Match, Series

A_DAY: Final = 50
"""Test matches of one author within 24 hours."""


@transaction.atomic
def request_test_match(
    author: User, *, bot: str, opponents: Sequence[str], rules: str = "pl-3", version: int | None = None
) -> Match:
    """Queue an unrated match of ``bot`` (seat 0; its active version, or a passed one) against ``opponents``.

    Opponents are house bots, own bots, or bots whose authors allow it, each by name. DomainError when the
    quota is used up, a name is not known or not allowed, or the number does not fit the rules.
    """
    lock_author(author)
    if queries.test_matches_today(author) >= A_DAY:
        raise DomainError(
            "quota_used",
            gettext("You asked for %(most)d test matches in 24 hours, the limit.") % {"most": A_DAY},
            429,
        )
    ruleset = PRESETS.get(rules)
    if ruleset is None:
        raise DomainError(
            "unknown_rules",
            gettext("There are no rules “%(rules)s”: choose one of %(presets)s.")
            % {"rules": rules, "presets": ", ".join(PRESETS)},
        )
    if len(opponents) != ruleset.players - 1:
        raise DomainError(
            "wrong_number",
            gettext("%(rules)s is played by %(players)d: name %(opponents)d opponents.")
            % {"rules": rules, "players": ruleset.players, "opponents": ruleset.players - 1},
        )
    seats = [_own_version(author, bot, version), *(opponent(author, name) for name in opponents)]
    kinds = {seat.bot.kind for seat in seats}
    return queue.enqueue(
        series=queue.open_series(Series.Kind.TESTS, "test matches"),
        klass=Match.Class.TEST,
        rules=ruleset,
        clocks=clocks_for(Bot.Kind.HTTP if Bot.Kind.HTTP in kinds else Bot.Kind.SANDBOX),
        seats=seats,
        rated=False,
        requested_by=author,
    )


def _own_version(author: User, name: str, number: int | None) -> Version:
    bot = Bot.objects.filter(owner=author, name=name).exclude(state=Bot.State.WITHDRAWN).first()
    if bot is None:
        raise DomainError("unknown_bot", gettext("You have no bot called “%(name)s”.") % {"name": name}, 404)
    passed = bot.versions.filter(state=Version.State.PASSED).select_related("bot")
    found = passed.filter(pk=bot.active_version_id or 0) if number is None else passed.filter(number=number)
    version = found.first()
    if version is None:
        raise DomainError(
            "no_version", gettext("%(name)s has no such version that passed its check.") % {"name": name}, 409
        )
    return version


def opponent(author: User | None, name: str) -> Version:
    """The active version of a bot that plays unrated matches: a house bot, ``author``'s own, or one that allows it.

    Without an author (a guest) house bots alone. DomainError ``not_available`` for all others.
    """
    bot = Bot.objects.select_related("active_version__bot").filter(name=name).first()
    allowed = bot is not None and (
        bot.kind == Bot.Kind.HOUSE or (author is not None and (bot.owner_id == author.pk or bot.allow_tests))
    )
    if bot is None or not allowed:
        raise DomainError(
            "not_available",
            gettext("No bot called “%(name)s” plays unrated matches with you.") % {"name": name},
            409,
        )
    version = bot.active_version
    if version is None or version.state != Version.State.PASSED or bot.state != Bot.State.ACTIVE:
        raise DomainError("not_available", gettext("%(name)s plays no matches now.") % {"name": name}, 409)
    return version
