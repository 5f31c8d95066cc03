"""The calendar: unrated matches that operators set for a date, queued at once and begun then.

Each has a series of its own, so that its secret is committed when it is announced and revealed when it is over.
The versions are those of the moment of planning, as everywhere: a match keeps the versions it was made with.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from botapi.errors import DomainError
from botapi.models import Bot, User, Version
from engine import RuleSet
from games import queue, results
from games.models import Match, Series
from ladder.models import DatedMatch
from ladder.seasons import default_clocks

AHEAD: Final = timedelta(days=366)
"""Nothing is planned further ahead."""


@transaction.atomic
def plan_match(
    name: str, *, at: datetime, ruleset: RuleSet, bots: Sequence[str], by: User | None = None
) -> DatedMatch:
    """Queue an unrated match of ``bots`` (names, in table order) that begins ``at``.

    Raises DomainError: ``bad_date``, ``wrong_number``, ``not_available``.
    """
    check_date(at)
    seats = seated(bots, ruleset)
    series = queue.open_series(Series.Kind.EVENT, f"dated match {secrets.token_hex(4)}")
    kinds = {version.bot.kind for version in seats}
    match = queue.enqueue(
        series=series,
        klass=Match.Class.EVENT,
        rules=ruleset,
        clocks=default_clocks()["http" if Bot.Kind.HTTP in kinds else "sandbox"],
        seats=seats,
        rated=False,
        not_before=at,
        requested_by=by,
    )
    # No other match joins the series: its secret is revealed as soon as this one is over.
    Series.objects.filter(pk=series.pk).update(closed_at=timezone.now())
    return DatedMatch.objects.create(name=name, at=at, match=match, planned_by=by)


def check_date(at: datetime) -> None:
    """Raise DomainError ``bad_date`` unless ``at`` is to come, and not too far away."""
    if not timezone.now() < at < timezone.now() + AHEAD:
        message = gettext("Choose a time to come, within %(days)d days.") % {"days": AHEAD.days}
        raise DomainError("bad_date", message)


def seated(bots: Sequence[str], ruleset: RuleSet) -> list[Version]:
    """The versions that these bots would play with. Raises DomainError ``wrong_number``, ``not_available``."""
    if len(bots) != ruleset.players or len(set(bots)) < len(bots):
        message = gettext("%(rules)s is played by %(players)d bots, each of them once.")
        raise DomainError("wrong_number", message % {"rules": ruleset.name, "players": ruleset.players})
    found = {
        bot.name: bot
        for bot in Bot.objects.filter(name__in=bots, state=Bot.State.ACTIVE).select_related(
            "active_version__bot"
        )
    }
    seats = []
    for name in bots:
        version = found[name].active_version if name in found else None
        if version is None or version.state != Version.State.PASSED:
            message = gettext("No bot called “%(name)s” plays matches now.") % {"name": name}
            raise DomainError("not_available", message, 409)
        seats.append(version)
    return seats


def is_to_come(dated: DatedMatch) -> bool:
    """Whether no worker has begun it and nobody has cancelled it."""
    return dated.match.state == Match.State.QUEUED and dated.match.attempt == 0


@transaction.atomic
def move_match(dated: DatedMatch, *, at: datetime) -> DatedMatch:
    """Give it another date; versions and committed cards stay. DomainError ``bad_date``; ``begun`` once it was."""
    check_date(at)
    if not queue.postpone(dated.match_id, not_before=at):
        raise DomainError("begun", gettext("%(name)s has begun or is over.") % {"name": dated.name}, 409)
    DatedMatch.objects.filter(pk=dated.pk).update(at=at)
    dated.refresh_from_db()
    return dated


@transaction.atomic
def cancel_match(dated: DatedMatch, *, reason: str) -> DatedMatch:
    """Take it off the calendar: it is void and not played. DomainError ``begun`` once it is not waiting."""
    match = Match.objects.select_for_update().get(pk=dated.match_id)
    if match.state != Match.State.QUEUED:
        raise DomainError("begun", gettext("%(name)s has begun or is over.") % {"name": dated.name}, 409)
    results.void(match, reason=reason or "cancelled")
    dated.refresh_from_db()
    return dated
