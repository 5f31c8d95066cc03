"""Who met whom, how often, and with what difference: sums kept beside the rating log, and read by pages and boards.

Every pair of versions at a rated table counts once, under the lower version's number, by how many seats the other
sits behind it. The log adds and takes back within its own transaction, under the lock of its pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from django.db import connection

from games.models import Seat
from ladder.models import Pool

Key = tuple[int, int, int]
"""Lower version, higher version, seats from the first to the second."""

_ADD = """
INSERT INTO ladder_pairtally AS kept (pool_id, first_id, second_id, "offset", ahead, level, behind, difference, squares)
SELECT %s, * FROM unnest(%s::bigint[], %s::bigint[], %s::int[], %s::int[], %s::int[], %s::int[], %s::bigint[],
%s::bigint[]) ON CONFLICT (pool_id, first_id, second_id, "offset") DO UPDATE SET ahead = kept.ahead + EXCLUDED.ahead,
level = kept.level + EXCLUDED.level, behind = kept.behind + EXCLUDED.behind,
difference = kept.difference + EXCLUDED.difference, squares = kept.squares + EXCLUDED.squares
"""

_WRONG = """
WITH counted AS (
    SELECT a.version_id AS first_id, b.version_id AS second_id,
        (b.index - a.index + %(players)s) %% %(players)s AS "offset",
        COUNT(*) FILTER (WHERE a.place < b.place) AS ahead,
        COUNT(*) FILTER (WHERE a.place = b.place) AS level,
        COUNT(*) FILTER (WHERE a.place > b.place) AS behind,
        SUM(COALESCE(a.total, 0) - COALESCE(b.total, 0)) AS difference,
        SUM((COALESCE(a.total, 0) - COALESCE(b.total, 0))::bigint * (COALESCE(a.total, 0) - COALESCE(b.total, 0)))
            AS squares
    FROM ladder_ratingevent e
    JOIN games_seat a ON a.match_id = e.match_id
    JOIN games_seat b ON b.match_id = e.match_id AND a.version_id < b.version_id
    WHERE e.pool_id = %(pool)s AND e.kind = 'match' AND NOT EXISTS (SELECT 1 FROM ladder_ratingevent w
        WHERE w.pool_id = e.pool_id AND w.kind = 'void' AND w.match_id = e.match_id)
    GROUP BY 1, 2, 3
), kept AS (
    SELECT first_id, second_id, "offset", ahead, level, behind, difference, squares FROM ladder_pairtally
    WHERE pool_id = %(pool)s AND ahead + level + behind > 0
)
SELECT first_id, second_id FROM counted FULL JOIN kept USING (first_id, second_id, "offset")
WHERE (counted.ahead, counted.level, counted.behind, counted.difference, counted.squares)
    IS DISTINCT FROM (kept.ahead, kept.level, kept.behind, kept.difference, kept.squares)
ORDER BY 1, 2 LIMIT 1
"""


@dataclass(slots=True)
class Sums:
    """What is summed of one pair at one offset: see :class:`ladder.models.PairTally`."""

    ahead: int = 0
    level: int = 0
    behind: int = 0
    difference: int = 0
    squares: int = 0

    def add(self, first: Seat, second: Seat, times: int) -> None:
        """Count a match (``times=-1`` takes it back)."""
        mine, other = first.place or 0, second.place or 0
        self.ahead += times * (mine < other)
        self.level += times * (mine == other)
        self.behind += times * (mine > other)
        difference = (first.total or 0) - (second.total or 0)
        self.difference += times * difference
        self.squares += times * difference * difference


class PairSums:
    """Sums of matches that are not written yet."""

    def __init__(self) -> None:
        self._sums: dict[Key, Sums] = {}

    def add(self, seats: Iterable[Seat], players: int, times: int = 1) -> None:
        """Count a rated match by its seats that hold a version (``times=-1`` takes it back)."""
        for one, other in combinations([seat for seat in seats if seat.version_id is not None], 2):
            first, second = sorted((one, other), key=lambda seat: seat.version_id or 0)
            key = (first.version_id or 0, second.version_id or 0, (second.index - first.index) % players)
            self._sums.setdefault(key, Sums()).add(first, second, times)

    def write(self, pool: Pool) -> None:
        """Add them to the rows of ``pool``, whose lock the caller holds; what was written is forgotten."""
        if not self._sums:
            return
        columns = zip(*self._rows(), strict=True)
        with connection.cursor() as cursor:
            cursor.execute(_ADD, [pool.pk, *(list(column) for column in columns)])
        self._sums = {}

    def _rows(self) -> Iterator[tuple[int, ...]]:
        for key, sums in sorted(self._sums.items()):
            yield (*key, sums.ahead, sums.level, sums.behind, sums.difference, sums.squares)


def wrong_pair(pool: Pool) -> tuple[int, int] | None:
    """The first pair of versions whose rows are not the sums of the log's matches; None when all are."""
    with connection.cursor() as cursor:
        cursor.execute(_WRONG, {"pool": pool.pk, "players": pool.players})
        found: tuple[int, int] | None = cursor.fetchone()
    return found
