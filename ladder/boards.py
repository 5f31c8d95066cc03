"""The published board of a pool, read from the database: all its rated results at once (ratings.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable

from django.db import connection

from botapi.models import Bot, Version
from ladder.board import Board, Results, fit
from ladder.models import Pool, RatingEvent

_PAIRS = """
SELECT a.version_id, b.version_id, SUM(CASE WHEN a.place < b.place THEN 2 WHEN a.place = b.place THEN 1 ELSE 0
END) FROM ladder_ratingevent e JOIN games_seat a ON a.match_id = e.match_id JOIN games_seat b ON b.match_id =
e.match_id AND b.index <> a.index WHERE e.pool_id = %(pool)s AND e.kind = 'match' AND e.seq <= %(seq)s AND NOT
EXISTS (SELECT 1 FROM ladder_ratingevent w WHERE w.pool_id = e.pool_id AND w.kind = 'void' AND w.match_id =
e.match_id AND w.seq <= %(seq)s) AND a.version_id IS NOT NULL AND b.version_id IS NOT NULL GROUP BY
a.version_id, b.version_id
"""


def fit_pool(pool: Pool, *, seq: int | None = None) -> Board:
    """The board of ``pool`` after event ``seq`` of its log (default: its latest)."""
    results = _latest_results(pool) if seq is None else _results_at(pool, seq)
    versions = results.versions()
    house = Version.objects.filter(pk__in=versions, bot__kind=Bot.Kind.HOUSE).values_list("pk", flat=True)
    return fit(results, _previous(pool, pool.last_seq if seq is None else seq), set(house))


def _latest_results(pool: Pool) -> Results:
    """All results of the log, from the sums kept beside it."""
    results = _no_results(pool)
    won = results.half_wins
    for first, second, ahead, level, behind in pool.pair_tallies.values_list(
        "first", "second", "ahead", "level", "behind"
    ):
        won[first][second] += 2 * ahead + level
        won[second][first] += 2 * behind + level
    return results


def _results_at(pool: Pool, seq: int) -> Results:
    """The results up to event ``seq``, counted match by match."""
    results = _no_results(pool)
    with connection.cursor() as cursor:
        cursor.execute(_PAIRS, {"pool": pool.pk, "seq": seq})
        for version, other, half_wins in cursor.fetchall():
            results.half_wins[version][other] = int(half_wins)
    return results


def _no_results(pool: Pool) -> Results:
    results = Results.empty()
    # Every match of a pool has the pool's number of players, so that f is the same for all.
    results.matches, results.players = 1, pool.players
    return results


def _previous(pool: Pool, seq: int) -> dict[int, int]:
    events = RatingEvent.objects.filter(pool=pool, kind=RatingEvent.Kind.VERSION, seq__lte=seq)
    return _links(events.values_list("payload", flat=True))


def _links(payloads: Iterable[str]) -> dict[int, int]:
    entries = map(json.loads, payloads)
    return {entry["version"]: entry["previous"] for entry in entries if entry["previous"] is not None}
