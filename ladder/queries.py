"""What pages and the API read of seasons and ratings: frozen values, a constant number of queries each."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from botapi.models import Bot
from games.models import Match
from games.queue import OPEN_STATES
from ladder.board import rank_ranges
from ladder.estimates import Estimate
from ladder.models import Pool, Rating, RatingPoint, Season
from ladder.ratings import State, is_provisional
from ladder.sparks import Spark, sparks

CHANGE_OVER = timedelta(days=7)
CURVE_POINTS = 120
"""A curve is some thousand pixels wide at most, and each point is looked up by itself."""

_OF_A_LINE = (
    *("version_id", "version__number", "version__bot_id", "version__bot__name"),
    *("version__bot__active_version_id", "version__bot__owner__username", "updated_seq", "r", "v", "n"),
    *("places", "points", "deals", "made", "declared", "faults", "earlier"),
)
"""Hundreds of lines are read at once: rows of their columns, without four models each."""
_OF_A_RANK = ("version_id", "version__bot_id", "version__bot__active_version_id", "updated_seq", "r", "v")
_AFTER_MATCHES = """
SELECT point.at, point.r, point.v, wanted.version
FROM unnest(%s::bigint[], %s::int[]) AS wanted(version, n) CROSS JOIN LATERAL (
    SELECT at, r, v, event_id FROM ladder_ratingpoint WHERE pool_id = %s AND version_id = wanted.version AND n = wanted.n
    ORDER BY event_id DESC LIMIT 1
) AS point ORDER BY point.event_id
"""


class CurvePoint(NamedTuple):
    """A rating (Elo, and its variance) as it was at a time, and the number of the version that had it."""

    at: datetime
    r: float
    v: float
    version: int


class Competitor(NamedTuple):
    """A bot of a line."""

    pk: int
    name: str


class Numbered(NamedTuple):
    """A version of a line."""

    pk: int
    number: int


@dataclass(frozen=True, slots=True)
class Standing(Estimate):
    """One line of a ladder: a bot with the version it plays now. Ratings and ``sd`` in Elo.

    ``rank`` counts those that are not provisional, ``rank_low`` to ``rank_high`` is what intervals allow.
    Shares are None when there is nothing to divide by.
    """

    rank: int | None
    rank_low: int | None
    rank_high: int | None
    bot: Competitor
    version: Numbered
    author: str
    r: float
    sd: float
    n: int
    places: tuple[int, ...]
    points_a_deal: float | None
    contracts_made: float | None
    declared: int
    faults: int
    change: float | None
    spark: Spark | None = None

    @property
    def provisional(self) -> bool:
        """Listed below the ranked ones, greyed, with "?" (√V > 50)."""
        return State(self.r, self.sd * self.sd).provisional

    @property
    def made_percent(self) -> float | None:
        """Contracts made, in percent of those declared."""
        return None if self.contracts_made is None else 100 * self.contracts_made


def seasons() -> QuerySet[Season]:
    """Seasons that were opened, the latest first."""
    opened = Season.objects.exclude(state=Season.State.DRAFT).select_related("series")
    return opened.order_by("-opens_at", "-pk")


def current_season() -> Season | None:
    """The season opened last among the open ones, else the one opened last; None when there was none."""
    return seasons().filter(state=Season.State.OPEN).first() or seasons().first()


def pool_of(season: Season) -> Pool | None:
    """The rating pool of a season; None while it is a draft."""
    return season.pools.order_by("pk").first()


def standings(pool: Pool, *, now: datetime | None = None) -> list[Standing]:
    """The ladder of ``pool``: ranked ones by rating, then the provisional ones by rating. One query."""
    return _ranked([_standing(row) for row in _playing(_lines(_listed(pool), now))])


def standing_of(pool: Pool, bot: Bot, *, now: datetime | None = None) -> Standing | None:
    """A bot's own line of :func:`standings`; None without one. Two queries: its rows, and the ratings of the others."""
    rows = _playing(_lines(_listed(pool).filter(version__bot=bot), now))
    if not rows:
        return None
    own = _standing(rows[0])
    others = _listed(pool).exclude(version__bot=bot).values_list(*_OF_A_RANK, named=True)
    ranked = [(float(row.r), math.sqrt(row.v)) for row in _playing(others) if not is_provisional(row.v)]
    if own.provisional:
        return own
    low, high = rank_ranges([(own.r, own.sd), *ranked])[0]
    return replace(own, rank=1 + sum(r > own.r for r, _ in ranked), rank_low=low, rank_high=high)


def drawn(lines: Sequence[Standing], pool: Pool) -> list[Standing]:
    """The same lines, each with its sparkline. One query."""
    found = sparks(pool, [line.version.pk for line in lines])
    return [replace(line, spark=found.get(line.version.pk)) for line in lines]


def next_match(bot: Bot) -> Match | None:
    """The rated match a bot plays or waits for; None when it has none."""
    return (
        Match.objects.filter(seats__version__bot=bot, rated=True, state__in=OPEN_STATES)
        .order_by("pk")
        .first()
    )


def bot_by_name(name: str) -> Bot | None:
    """A bot that is shown, with what its rating page needs."""
    return Bot.objects.select_related("owner", "active_version").filter(name=name).first()


def season_by_slug(slug: str) -> Season | None:
    """A season that was opened."""
    return None if "\0" in slug else seasons().filter(slug=slug).first()


def any_season(slug: str) -> Season | None:
    """A season, a draft too: for operators."""
    return None if "\0" in slug else Season.objects.select_related("series").filter(slug=slug).first()


def pools_of(bot: Bot) -> QuerySet[Rating]:
    """A bot's ratings, a row a version and pool, the latest season first."""
    rows = Rating.objects.filter(version__bot=bot).select_related("pool__season", "version")
    return rows.order_by("-pool__season__opens_at", "-version__number")


def curve_points(bot: Bot, pool: Pool) -> list[CurvePoint]:
    """Points of a bot's rating curve in a pool, oldest first, evenly thinned to some 120. Two queries.

    A point is looked up by its version's number of matches, so that those between are not read.
    """
    rated = Rating.objects.filter(pool=pool, version__bot=bot)
    rows = list(rated.values_list("version_id", "version__number", "n"))
    numbers = {version: number for version, number, _n in rows}
    step = max(1, sum(n for *_version, n in rows) // CURVE_POINTS)
    wanted = [(version, n) for version, _number, most in rows for n in {*range(0, most, step), most}]
    ids, matches = [version for version, _ in wanted], [n for _, n in wanted]
    with connection.cursor() as cursor:
        cursor.execute(_AFTER_MATCHES, [ids, matches, pool.pk])
        return [
            CurvePoint(at, float(r), float(v), numbers[version]) for at, r, v, version in cursor.fetchall()
        ]


def _listed(pool: Pool) -> QuerySet[Rating]:
    """The ratings of bots that are on the ladder."""
    return Rating.objects.filter(pool=pool).exclude(version__bot__state=Bot.State.WITHDRAWN)


def _lines(ratings: QuerySet[Rating], now: datetime | None) -> QuerySet[Rating, Any]:
    """The columns of a line, with the rating of a week ago."""
    earlier = RatingPoint.objects.filter(
        pool=OuterRef("pool"), version=OuterRef("version"), at__lte=(now or timezone.now()) - CHANGE_OVER
    ).order_by("-at", "-event_id")
    dated = ratings.annotate(earlier=Subquery(earlier.values("r")[:1]))
    return dated.values_list(*_OF_A_LINE, named=True)


def _playing(rows: Iterable[Any]) -> list[Any]:
    """One row a bot: of its active version, else of the one that was rated last."""
    chosen: dict[int, Any] = {}
    for row in rows:
        rival = chosen.get(row.version__bot_id)
        if rival is None or _precedence(row) > _precedence(rival):
            chosen[row.version__bot_id] = row
    return list(chosen.values())


def _precedence(row: Any) -> tuple[bool, int]:
    return row.version_id == row.version__bot__active_version_id, row.updated_seq


def _standing(row: Any) -> Standing:
    return Standing(
        rank=None,
        rank_low=None,
        rank_high=None,
        bot=Competitor(row.version__bot_id, row.version__bot__name),
        version=Numbered(row.version_id, row.version__number),
        author=row.version__bot__owner__username or "",
        r=float(row.r),
        sd=math.sqrt(row.v),
        n=row.n,
        places=tuple(row.places),
        points_a_deal=row.points / row.deals if row.deals else None,
        contracts_made=row.made / row.declared if row.declared else None,
        declared=row.declared,
        faults=row.faults,
        change=None if row.earlier is None else float(row.r) - float(row.earlier),
    )


def _ranked(lines: list[Standing]) -> list[Standing]:
    """Lines in their order, with ranks and rank ranges."""
    lines = sorted(lines, key=lambda line: (-line.r, line.bot.name))
    ranked = [line for line in lines if not line.provisional]
    ratings = [-line.r for line in ranked]
    ranges = rank_ranges([(line.r, line.sd) for line in ranked])
    return [
        replace(line, rank=1 + bisect_left(ratings, -line.r), rank_low=low, rank_high=high)
        for line, (low, high) in zip(ranked, ranges, strict=True)
    ] + [line for line in lines if line.provisional]
