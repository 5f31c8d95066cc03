"""Sparklines: how the ratings of a ladder moved over each bot's latest matches, as small SVG numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import connection

from ladder.models import Pool

MATCHES: Final = 40
"""So many of a version's latest matches are drawn."""
WIDTH: Final = 88
HEIGHT: Final = 20
LEAST_RANGE: Final = 60.0
"""Elo over the height at least, so that noise does not look like a change."""

# One walk down the index for each version, however many points there are.
_LATEST = """
SELECT wanted.id, point.r FROM unnest(%s::bigint[]) AS wanted(id)
CROSS JOIN LATERAL (
    SELECT r, event_id FROM ladder_ratingpoint
    WHERE pool_id = %s AND version_id = wanted.id ORDER BY event_id DESC LIMIT %s
) AS point ORDER BY wanted.id, point.event_id
"""


@dataclass(frozen=True, slots=True)
class Spark:
    """A curve of ``count`` ratings from ``first`` to ``last`` (Elo); ``line`` is an SVG point list."""

    line: str
    first: float
    last: float
    count: int
    width: int = WIDTH
    height: int = HEIGHT


def sparks(pool: Pool, versions: Sequence[int]) -> Mapping[int, Spark]:
    """The sparkline of each version (by id) that has two points or more. One query."""
    found: dict[int, list[float]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_LATEST, [list(versions), pool.pk, MATCHES])
        for version, r in cursor.fetchall():
            found.setdefault(version, []).append(float(r))
    return {version: spark(ratings) for version, ratings in found.items() if len(ratings) > 1}


def spark(ratings: Sequence[float]) -> Spark:
    """The curve through ``ratings``, two or more, oldest first; in the middle where they hardly differ."""
    middle = (max(ratings) + min(ratings)) / 2
    half = max(max(ratings) - min(ratings), LEAST_RANGE) / 2
    step = WIDTH / (len(ratings) - 1)
    points = [
        f"{i * step:.1f},{HEIGHT / 2 - (r - middle) / half * (HEIGHT / 2 - 1):.1f}"
        for i, r in enumerate(ratings)
    ]
    return Spark(" ".join(points), ratings[0], ratings[-1], len(ratings))
