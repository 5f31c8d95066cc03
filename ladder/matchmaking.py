"""Keeps a few rated matches of each open season queued, or queues rounds by its timetable.

:mod:`ladder.pairing` says who plays whom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from botapi.models import Bot, Version
from games import queue
from games.models import Match, Seat
from ladder import timetable
from ladder.eligibility import eligible_bots, over_quota
from ladder.models import PairTally, Pool, Rating, RatingEvent, Season
from ladder.pairing import Candidate, Meetings, newcomers, pair, seat
from ladder.queries import pool_of
from ladder.rating_log import enter_versions
from ladder.ratings import is_provisional
from ladder.tournament_models import Tournament

PLACEMENT_WINDOW: Final = 20
"""Latest tables over which the share of placement matches is taken."""
SEATS_WINDOW: Final = 300
"""Latest ladder matches of a version over which its seats are balanced."""


def schedule(season: Season) -> list[Match]:
    """Queue rated matches until the season's target is reached or nobody is left to seat; the new matches.

    With a timetable: queue a round when its time has come, each eligible bot at one table.
    """
    pool = pool_of(season)
    if pool is None:
        return []
    with transaction.atomic():
        Pool.objects.select_for_update().get(pk=pool.pk)
        season = Season.objects.select_for_update(of=("self",)).select_related("series").get(pk=season.pk)
        if season.state != Season.State.OPEN:
            return []
        if season.timetable:
            return _round(season, pool)
        missing = season.queue_target - open_matches(season).count()
        return _fill(season, pool, missing) if missing > 0 else []


def due_round(season: Season, now: datetime) -> datetime | None:
    """The time of the timetable whose round should have been queued by now; None when none is due."""
    since = season.round_at or season.opens_at
    at = timetable.latest(season.timetable, now) if season.timetable and since is not None else None
    return at if at is not None and since is not None and at > since else None


def _round(season: Season, pool: Pool) -> list[Match]:
    """Queue the round that is due, once the one before it is over; too few bots leave it due."""
    due = due_round(season, timezone.now())
    if due is None or open_matches(season).exists():
        return []
    made = _fill(season, pool, None)
    if made:
        season.round_at = due
        season.save(update_fields=["round_at"])
    return made


def _fill(season: Season, pool: Pool, missing: int | None) -> list[Match]:
    """Queue tables until ``missing`` matches are queued (None: as many as can be) or nobody is left to seat."""
    bots = list(eligible_bots())
    held_back = over_quota(pool, bots)
    versions = {
        bot.active_version.pk: bot.active_version
        for bot in bots
        if bot.active_version is not None and bot.active_version.pk not in held_back
    }
    enter_versions(pool, versions.values())
    field = _field(season, pool, versions.values())
    made: list[Match] = []
    while missing is None or len(made) < missing:
        seated = _next_table(season, pool, field, versions, whole_round=missing is None)
        if seated is None:
            break
        made += _queue_table(season, seated)
        field = [replace(c, busy=c.busy or versions[c.version] in seated) for c in field]
    return made


def _next_table(
    season: Season,
    pool: Pool,
    field: list[Candidate],
    versions: Mapping[int, Version],
    *,
    whole_round: bool,
) -> list[Version] | None:
    """The next table of ``field`` in the order of its seats; None when none can be set.

    In a round all sit down, so that newcomers take nobody's place.
    """
    if season.series is None:
        return None
    season.series.refresh_from_db(fields=["next_number"])
    seq = season.series.next_number
    table = pair(
        field,
        meetings(season, pool),
        players=season.players,
        pool=pool.pk,
        seq=seq,
        placement_share=0.0 if whole_round else _placement_share(season, newcomers(field)),
    )
    if table is None:
        return None
    order = seat(table.members, _seat_use(table.members), pool=pool.pk, seq=seq)
    return [versions[member.version] for member in order]


def _queue_table(season: Season, seated: list[Version]) -> list[Match]:
    """Queue a match of these versions; where the season says so, its deals in every rotation of the seats."""
    if season.series is None:
        return []
    duplicate = season.duplicate and forgetful(seated)
    block = season.series.next_number if duplicate else None
    return [
        queue.enqueue(
            series=season.series,
            klass=Match.Class.LADDER,
            rules=season.rules,
            clocks=clocks_of(season, seated),
            seats=seated[turn:] + seated[:turn],
            rated=True,
            block=block,
            rotation=turn,
        )
        for turn in range(len(seated) if duplicate else 1)
    ]


def forgetful(seated: Iterable[Version]) -> bool:
    """Whether all of them remember nothing between matches: whoever could remember never meets a deal twice."""
    return all(version.bot.kind in {Bot.Kind.SANDBOX, Bot.Kind.HOUSE} for version in seated)


def clocks_of(contest: Season | Tournament, seated: Iterable[Version]) -> dict[str, int]:
    """The clocks of a table: those of HTTP bots as soon as one sits there, else the sandbox's."""
    kinds = {version.bot.kind for version in seated}
    clocks: dict[str, int] = contest.clocks["http" if Bot.Kind.HTTP in kinds else "sandbox"]
    return clocks


def _field(season: Season, pool: Pool, versions: Iterable[Version]) -> list[Candidate]:
    busy = set(Seat.objects.filter(match__in=open_matches(season)).values_list("version__bot_id", flat=True))
    ratings = Rating.objects.filter(pool=pool, version__in=list(versions)).select_related("version__bot")
    return [
        Candidate(
            bot=row.version.bot_id,
            version=row.version_id,
            author=row.version.bot.owner_id,
            r=float(row.r),
            played=row.n,
            busy=row.version.bot_id in busy,
            provisional=is_provisional(float(row.v)),
        )
        for row in ratings.order_by("version_id")
    ]


def open_matches(season: Season) -> QuerySet[Match]:
    """The season's rated matches that are queued or running."""
    return Match.objects.filter(
        series=season.series_id, klass=Match.Class.LADDER, state__in=queue.OPEN_STATES
    )


def _placement_share(season: Season, new: set[int]) -> float:
    """Part of the latest tables that seated one of the newcomers."""
    if not new:
        return 0.0
    latest = Match.objects.filter(series=season.series_id, klass=Match.Class.LADDER).order_by("-number")
    numbers = list(latest.values_list("pk", flat=True)[:PLACEMENT_WINDOW])
    seated = Seat.objects.filter(match__in=numbers, version__in=new).values("match").distinct().count()
    return seated / max(1, len(numbers))


def meetings(season: Season, pool: Pool) -> Meetings:
    """Whom a version met, and how often: from the tallies of pairs, and from tables that are not rated yet.

    A season of a million matches would take half a second to count for each table.
    """
    waiting = _unrated_tables(season, pool)

    def met(candidate: Candidate) -> Mapping[int, int]:
        found = Counter[int]()
        for own, other in (("first", "second__bot"), ("second", "first__bot")):
            tallies = PairTally.objects.filter(pool=pool, **{own: candidate.version})
            for bot, *sums in tallies.values_list(other, "ahead", "level", "behind"):
                found[bot] += sum(sums)
        for table in waiting:
            if candidate.version in table:
                found.update(bot for version, bot in table.items() if version != candidate.version)
        return found

    return met


def _unrated_tables(season: Season, pool: Pool) -> Iterable[Mapping[int, int]]:
    """The tables of the season after the last one rated, open ones too: bots by version."""
    rated = RatingEvent.objects.filter(pool=pool, kind=RatingEvent.Kind.MATCH).order_by("-seq")
    last = rated.values_list("match__finish_seq", flat=True).first() or 0
    later = Match.objects.filter(series=season.series_id).filter(
        Q(finish_seq__gt=last) | Q(state__in=queue.OPEN_STATES)
    )
    tables: dict[int, dict[int, int]] = {}
    seats = Seat.objects.filter(match__in=later, version__isnull=False)
    for match, version, bot in seats.values_list("match_id", "version_id", "version__bot_id"):
        tables.setdefault(match, {})[version] = bot
    return tables.values()


def _seat_use(members: Iterable[Candidate]) -> Mapping[tuple[int, int], int]:
    """How often each sat where, in its latest matches: what lies farther back was balanced in its time."""
    found = Counter[tuple[int, int]]()
    for version in (member.version for member in members):
        latest = Seat.objects.filter(version=version, match__klass=Match.Class.LADDER).order_by("-match_id")
        found.update((version, index) for index in latest.values_list("index", flat=True)[:SEATS_WINDOW])
    return found
