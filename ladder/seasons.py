"""Seasons: a draft, opened with a committed secret, closed, the secret revealed when nothing is open.

The seeds of a season's matches derive from its series' secret (architecture.md, "Seeds"); its SHA-256 is
public from the opening on, so nobody can choose the cards afterwards.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from botapi.errors import DomainError
from botapi.protocol import HTTP_CLOCKS, SANDBOX_CLOCKS, Clocks
from engine import EngineError, RuleSet
from games import queue
from games.models import Match, Series
from ladder import timetable as timetables
from ladder.models import Pool, Season

logger = logging.getLogger(__name__)


def create_season(  # noqa: PLR0913 - a season has that many independent properties
    slug: str,
    *,
    name: str,
    ruleset: RuleSet,
    clocks: dict[str, dict[str, int]] | None = None,
    queue_target: int = 4,
    duplicate: bool = False,
    timetable: str = "",
    opens_at: datetime | None = None,
    closes_at: datetime | None = None,
) -> Season:
    """A draft season of ``ruleset``; ``clocks`` by kind of bot, by default those of protocol.md.

    With dates it is announced, opened and closed by itself. Raises DomainError (``bad_dates``,
    ``bad_timetable``).
    """
    check_dates(opens_at, closes_at)
    if timetable:
        timetables.check(timetable)
    return Season.objects.create(
        slug=slug,
        name=name,
        rules=ruleset.to_json(),
        players=ruleset.players,
        clocks=clocks or default_clocks(),
        queue_target=queue_target,
        duplicate=duplicate,
        timetable=timetable,
        opens_at=opens_at,
        closes_at=closes_at,
    )


IN_DRAFT: Final = frozenset({"ruleset", "clocks", "duplicate", "opens_at"})
WHILE_OPEN: Final = frozenset({"queue_target", "timetable", "closes_at"})
"""What is fixed once a season is open, and what once it is closed; its name never is."""


@transaction.atomic
def change_season(season: Season, **changes: Any) -> Season:
    """Change properties by the names they have in :func:`create_season`.

    Raises DomainError: ``fixed`` for what its state allows no more, ``bad_dates``, ``bad_timetable``.
    """
    season = Season.objects.select_for_update(of=("self",)).select_related("series").get(pk=season.pk)
    fixed = {Season.State.DRAFT: frozenset[str](), Season.State.OPEN: IN_DRAFT}.get(
        Season.State(season.state), IN_DRAFT | WHILE_OPEN
    )
    if fixed & changes.keys():
        words = {
            "name": season.name,
            "state": season.get_state_display(),
            "names": ", ".join(sorted(fixed & changes.keys())),
        }
        message = gettext(
            "%(name)s is in the state “%(state)s”; these cannot be changed any more: %(names)s."
        )
        raise DomainError("fixed", message % words, 409)
    ruleset = changes.pop("ruleset", None)
    if ruleset is not None:
        changes |= {"rules": ruleset.to_json(), "players": ruleset.players}
    for name, value in changes.items():
        setattr(season, name, value)
    if changes.get("timetable"):
        timetables.check(season.timetable)
    if {"opens_at", "closes_at"} & changes.keys():
        check_dates(None if season.state == Season.State.OPEN else season.opens_at, season.closes_at)
    season.save(update_fields=changes.keys())
    return season


def check_dates(opens_at: datetime | None, closes_at: datetime | None) -> None:
    """Raise DomainError ``bad_dates`` when a season would close before it opens."""
    if closes_at is not None and closes_at <= (opens_at or timezone.now()):
        raise DomainError("bad_dates", gettext("A season closes after it has opened, and in the future."))


def default_clocks() -> dict[str, dict[str, int]]:
    """The starting values of protocol.md section 5, by kind of bot."""
    return {"sandbox": _clock(SANDBOX_CLOCKS), "http": _clock(HTTP_CLOCKS)}


@transaction.atomic
def open_season(season: Season) -> Season:
    """Commit the season's secret, make its rating pool and let matchmaking begin.

    Raises DomainError: ``not_a_draft`` when it was opened before, ``bad_dates`` when it should be closed
    already; RuleSetError when its rules are impossible.
    """
    season = Season.objects.select_for_update().get(pk=season.pk)
    if season.state != Season.State.DRAFT:
        message = gettext("%(name)s was opened before.") % {"name": season.name}
        raise DomainError("not_a_draft", message, 409)
    check_dates(None, season.closes_at)
    ruleset = RuleSet.from_json(season.rules)
    season.series = queue.open_series(Series.Kind.SEASON, f"season {season.slug}")
    season.players = ruleset.players
    season.state = Season.State.OPEN
    season.opens_at = timezone.now()
    season.save()
    Pool.objects.create(season=season, rules_hash=ruleset.hash, players=ruleset.players)
    return season


@transaction.atomic
def close_season(season: Season) -> Season:
    """End matchmaking; matches already queued are still played and rated.

    Raises DomainError (``not_open``) when it is not open.
    """
    season = Season.objects.select_for_update().get(pk=season.pk)
    if season.state != Season.State.OPEN or season.series is None:
        raise DomainError("not_open", gettext("%(name)s is not open.") % {"name": season.name}, 409)
    season.state = Season.State.CLOSED
    season.closes_at = timezone.now()
    season.save(update_fields=["state", "closes_at"])
    season.series.closed_at = season.closes_at
    season.series.save(update_fields=["closed_at"])
    return season


def follow_dates() -> int:
    """Open the drafts and close the seasons whose time has come; how many. Beat calls it.

    One that cannot be opened is left a draft and told of in the log.
    """
    now = timezone.now()
    done = 0
    for season in Season.objects.filter(state=Season.State.OPEN, closes_at__lte=now):
        done += _try(close_season, season)
    drafts = Season.objects.filter(state=Season.State.DRAFT, opens_at__lte=now)
    for season in drafts.exclude(closes_at__lte=now):
        done += _try(open_season, season)
    return done


def _try(verb: Callable[[Season], Season], season: Season) -> bool:
    try:
        verb(season)
    except (DomainError, EngineError) as error:
        logger.error("season %s: %s", season.slug, error)  # noqa: TRY400 - said in full; no stack needed
        return False
    return True


def is_played_out(season: Season) -> bool:
    """Whether it is closed and none of its matches is queued or running."""
    matches = Match.objects.filter(series=season.series_id, state__in=queue.OPEN_STATES)
    return season.state == Season.State.CLOSED and not matches.exists()


@transaction.atomic
def reveal_secrets() -> int:
    """Reveal the secrets of closed seasons, tournaments and events none of whose matches is open; how many.

    The series are locked first, as a new match locks its own: none can slip in between.
    """
    kinds = (Series.Kind.SEASON, Series.Kind.TOURNAMENT, Series.Kind.EVENT)
    hidden = Series.objects.filter(kind__in=kinds, closed_at__isnull=False, revealed_at__isnull=True)
    locked = list(hidden.select_for_update().order_by("pk").values_list("pk", flat=True))
    open_series = Match.objects.filter(state__in=queue.OPEN_STATES).values("series")
    finished = Series.objects.filter(pk__in=locked).exclude(pk__in=open_series)
    return finished.update(revealed_at=timezone.now())


def _clock(clocks: Clocks) -> dict[str, int]:
    return {
        "act_ms": clocks.act_ms,
        "bank_ms": clocks.bank_ms,
        "hard_ms": clocks.hard_ms,
        "start_ms": clocks.start_ms,
    }
