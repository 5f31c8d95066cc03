"""What is planned, and why something is late: seasons with their rounds and dates, dated matches, tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Exists, OuterRef, Prefetch, QuerySet
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from botapi.models import Bot
from games import delays
from games.models import Match, Seat
from ladder import timetable
from ladder.eligibility import eligible_bots, over_quota
from ladder.matchmaking import due_round, open_matches
from ladder.models import DatedMatch, Pool, RatingEvent, Season
from ladder.queries import pool_of
from ladder.tournament_models import Round, Tournament

LATE_AFTER: Final = timedelta(seconds=60)
"""A round that is not queued so long after its time is late."""
TIMES_SHOWN: Final = 3
CALENDAR_SHOWN: Final = 100
PAST_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class SeasonPlan:
    """An open season: how many matches it has open, its next rounds, the round that is due, and why it waits.

    ``reason`` is a sentence, empty when nothing is amiss; ``late`` says whether that lasts for longer than usual.
    """

    season: Season
    open: int
    times: tuple[datetime, ...]
    due: datetime | None
    late: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """Everything that is planned, queued or running at one moment."""

    at: datetime
    seasons: tuple[SeasonPlan, ...]
    announced: tuple[Season, ...]
    tournaments: tuple[Tournament, ...]
    rounds: tuple[Round, ...]
    dated: tuple[DatedMatch, ...]
    past: tuple[DatedMatch, ...]
    running: tuple[Match, ...]
    waiting: tuple[delays.Waiting, ...]

    @property
    def late(self) -> int:
        """How many things are late."""
        return sum(plan.late for plan in self.seasons) + sum(wait.late for wait in self.waiting)


def schedule(now: datetime) -> Schedule:
    """The schedule as it stands at ``now``."""
    calendar = dated_matches()
    return Schedule(
        at=now,
        seasons=tuple(_plan(season, now) for season in open_seasons()),
        announced=tuple(announced()),
        tournaments=tuple(_tournaments()),
        rounds=tuple(_rounds()),
        dated=tuple(
            calendar.filter(match__state__in=(Match.State.QUEUED, Match.State.RUNNING))[:CALENDAR_SHOWN]
        ),
        past=tuple(
            calendar.exclude(match__state__in=(Match.State.QUEUED, Match.State.RUNNING)).order_by(
                "-at", "-pk"
            )[:PAST_SHOWN]
        ),
        running=tuple(delays.running()),
        waiting=tuple(delays.waiting(now)),
    )


def open_seasons() -> QuerySet[Season]:
    """Seasons that are open, the one opened last first."""
    found = Season.objects.filter(state=Season.State.OPEN).select_related("series")
    return found.order_by("-opens_at", "-pk")


def announced() -> QuerySet[Season]:
    """Drafts that will be opened at a date: giving one a date announces it."""
    return Season.objects.filter(state=Season.State.DRAFT, opens_at__isnull=False).order_by("opens_at", "pk")


def next_round(season: Season | None) -> datetime | None:
    """When the next round of an open season with a timetable begins, or should have; None without one."""
    if season is None or season.state != Season.State.OPEN or not season.timetable:
        return None
    now = timezone.now()
    return due_round(season, now) or timetable.next_after(season.timetable, now)


def dated_matches() -> QuerySet[DatedMatch]:
    """The calendar with matches, seats and bots, by date."""
    seats = Seat.objects.select_related("version__bot").defer("version__check_report").order_by("index")
    found = DatedMatch.objects.select_related("match__series")
    return found.prefetch_related(Prefetch("match__seats", seats)).order_by("at", "pk")


def _tournaments() -> QuerySet[Tournament]:
    phases = (Tournament.Phase.REGISTRATION, Tournament.Phase.RUNNING)
    return Tournament.objects.filter(phase__in=phases).order_by("starts_at", "pk")


def _rounds() -> QuerySet[Round]:
    """Rounds of running tournaments that are not over, the running ones first."""
    open_ones = Round.objects.exclude(state=Round.State.FINISHED).filter(
        tournament__phase=Tournament.Phase.RUNNING
    )
    return open_ones.select_related("tournament").order_by("tournament", "number")[:CALENDAR_SHOWN]


def _plan(season: Season, now: datetime) -> SeasonPlan:
    pool = pool_of(season)
    open_ones = open_matches(season).count()
    due = due_round(season, now)
    times = timetable.coming(season.timetable, now, TIMES_SHOWN) if season.timetable else []
    if season.closes_at is not None:
        times = [at for at in times if at < season.closes_at]
    reason = "" if pool is None else _why_waiting(season, pool, open_ones, due, now)
    late = bool(reason) and (open_ones == 0 if due is None else now - due > LATE_AFTER)
    return SeasonPlan(season, open_ones, tuple(times), due, late, reason)


def _why_waiting(season: Season, pool: Pool, open_ones: int, due: datetime | None, now: datetime) -> str:
    """Why the season's queue is not full, or its round not begun; empty where that is as it should be."""
    if season.timetable:
        if due is None:
            return ""
        if open_ones:
            return ngettext(
                "The round before it is still being played: %(n)d of its matches is not over.",
                "The round before it is still being played: %(n)d of its matches are not over.",
                open_ones,
            ) % {"n": open_ones}
    elif open_ones >= season.queue_target:
        return ""
    unrated = _unrated_since(pool, now - LATE_AFTER)
    if unrated:
        return ngettext(
            "Matches are paired by ratings, and %(n)d that ended before waits to be rated.",
            "Matches are paired by ratings, and %(n)d that ended before wait to be rated.",
            unrated,
        ) % {"n": unrated}
    who = _why_nobody(season, pool)
    if who:
        return who
    return gettext("It is about to be queued.") if due is not None and now - due > LATE_AFTER else ""


def _unrated_since(pool: Pool, before: datetime) -> int:
    """How many of the latest rated matches ended before that moment and have no rating yet."""
    events = RatingEvent.objects.filter(pool=pool, match=OuterRef("pk"))
    latest = Match.objects.filter(series=pool.season.series_id, rated=True, finish_seq__isnull=False)
    rows = latest.annotate(has_event=Exists(events)).order_by("-finish_seq")
    ended = rows.values_list("state", "finished_at", "has_event")[:50]
    return sum(
        state == Match.State.FINISHED and at is not None and at < before and not rated
        for state, at, rated in ended
    )


def _why_nobody(season: Season, pool: Pool) -> str:
    """Why no further table can be set; empty when one can."""
    bots = list(eligible_bots())
    held_back = over_quota(pool, bots)
    may = [bot for bot in bots if bot.active_version_id not in held_back]
    seats = Seat.objects.filter(match__in=open_matches(season), version__isnull=False)
    busy = set(seats.values_list("version__bot_id", flat=True))
    if _table_size(may) < season.players:
        return " ".join(filter(None, (_too_few(season.players, _table_size(may)), *_who_may_not())))
    free = [bot for bot in may if bot.pk not in busy]
    if season.timetable or _table_size(free) >= season.players:
        return ""
    return ngettext(
        "Of the bots that may play now %(n)d is free: too few for another table.",
        "Of the bots that may play now %(n)d are free: too few for another table.",
        len(free),
    ) % {"n": len(free)}


def _too_few(needed: int, there: int) -> str:
    words = ngettext(
        "A table needs %(needed)d bots of different authors; %(n)d may play now.",
        "A table needs %(needed)d bots of different authors; %(n)d may play now.",
        there,
    )
    return words % {"needed": needed, "n": there}


def _who_may_not() -> list[str]:
    """How many bots are paused and suspended, a sentence each; none where nobody is."""
    kept = Bot.objects.filter(state__in=(Bot.State.PAUSED, Bot.State.SUSPENDED))
    counts = dict(kept.values_list("state").annotate(Count("pk")))
    paused, suspended = counts.get(Bot.State.PAUSED, 0), counts.get(Bot.State.SUSPENDED, 0)
    told = []
    if paused:
        told.append(ngettext("%(n)d bot is paused.", "%(n)d bots are paused.", paused) % {"n": paused})
    if suspended:
        words = ngettext("%(n)d bot is suspended.", "%(n)d bots are suspended.", suspended)
        told.append(words % {"n": suspended})
    return told


def _table_size(bots: Sequence[Bot]) -> int:
    """How many of them could sit at one table: one of each author, house bots all."""
    owners = [bot.owner_id for bot in bots]
    return owners.count(None) + len(set(owners) - {None})
