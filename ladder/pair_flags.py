"""The nightly pair test of each pool, read from the rating log and kept for operators (ratings.md, "collusion")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.db import connection, transaction
from django.utils import timezone

from botapi.models import Version
from ladder import boards
from ladder.collusion import PairTest, pair_tests
from ladder.models import PairFlag, Pool

CHUNK: Final = 5000

_SEATS: Final = """
SELECT s.match_id, s.version_id, s.place FROM ladder_ratingevent e JOIN games_seat s ON s.match_id = e.match_id
WHERE e.pool_id = %(pool)s AND e.kind = 'match' AND s.version_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM
ladder_ratingevent w WHERE w.pool_id = e.pool_id AND w.kind = 'void' AND w.match_id = e.match_id)
ORDER BY s.match_id
"""


def tests_of(pool: Pool) -> list[PairTest]:
    """The pair tests of all rated matches of ``pool``, by bot, against its board; the most remarkable first."""
    ratings = {entry.version: entry.r for entry in boards.fit_pool(pool).entries}
    bot_of = dict(Version.objects.filter(pk__in=ratings).values_list("pk", "bot_id"))
    return pair_tests(_matches(pool), ratings, bot_of)


def flag_pairs(pool: Pool) -> int:
    """Write down the suspicious pairs of ``pool``; how many there are. A pair that was cleared stays cleared."""
    suspicious = [test for test in tests_of(pool) if test.suspicious]
    rows = [
        PairFlag(
            pool=pool,
            helper_id=test.helper,
            helped_id=test.helped,
            joint=test.joint,
            surplus=round(test.surplus, 3),
            z=round(test.z, 3),
        )
        for test in suspicious
    ]
    PairFlag.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["pool", "helper", "helped"],
        update_fields=["joint", "surplus", "z", "seen_at"],
    )
    return len(rows)


def clear(flag: PairFlag) -> None:
    """An operator looked and lets it be."""
    flag.cleared_at = timezone.now()
    flag.save(update_fields=["cleared_at"])


def _matches(pool: Pool) -> Iterator[list[tuple[int, int]]]:
    """The seats of each rated match that was not withdrawn, as (version, place)."""
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(_SEATS, {"pool": pool.pk})
        current: int | None = None
        seats: list[tuple[int, int]] = []
        while rows := cursor.fetchmany(CHUNK):
            for match, version, place in rows:
                if match != current and seats:
                    yield seats
                    seats = []
                current = match
                seats.append((version, place))
        if seats:
            yield seats
