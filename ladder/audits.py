"""The audit of a pool: its log replayed from the first event and compared with the rows pages read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from ladder import boards
from ladder.models import Pool, Rating, RatingEvent, RatingPoint
from ladder.open_log import state_of
from ladder.pair_tallies import wrong_pair
from ladder.replay import Audit, LogError

CHUNK = 2000
"""Rows fetched at once."""

_LOG = """
SELECT seq, kind, match_id, payload, sha256, COALESCE((SELECT string_agg(concat(version_id, ' ', place), ',')
    FROM games_seat WHERE match_id = e.match_id AND version_id IS NOT NULL), '') AS places
FROM ladder_ratingevent e WHERE pool_id = %s ORDER BY seq
"""


def audit(pool: Pool, *, with_boards: bool = False) -> Audit:
    """Replay the log of ``pool``; LogError names the first event that disagrees.

    Checked are order, hash chain, columns against payloads, places against the seats of the match, each
    state, the points, the rating rows and the tallies of pairs; with ``with_boards`` the boards of rebases too.
    The ladder may go on rating meanwhile.
    """
    with _one_moment():
        return _audited(pool, with_boards=with_boards)


@contextmanager
def _one_moment() -> Iterator[None]:
    """All that is read is of the same moment; in a transaction of the caller's what it sees is the caller's affair."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _audited(pool: Pool, *, with_boards: bool) -> Audit:
    replayed = Audit(keep=pool.events.filter(kind=RatingEvent.Kind.VOID).exists())
    for seq, kind, match, payload, sha256, places in _log(pool):
        event = replayed.check(seq, payload, sha256)
        if event["kind"] != kind or event.get("match") != match:
            raise LogError(seq, f"its row says {kind} of match {match}, its payload {event['kind']}")
        if kind == "match" and {f"{seat[0]} {seat[1]}" for seat in event["seats"]} != set(places.split(",")):
            raise LogError(seq, f"its places are not those of match {match}")
        if kind == "rebase" and with_boards:
            _check_board(pool, event)
    _check_head(pool, replayed)
    _check_rows(pool, replayed)
    wrong = wrong_pair(pool)
    if wrong is not None:
        raise LogError(
            replayed.seq, f"the tally of versions {wrong[0]} and {wrong[1]} is not that of their matches"
        )
    return replayed


def _log(pool: Pool) -> Iterator[tuple[int, str, int | None, str, str, str]]:
    """The rows of the log in their order, each with the places of its match; the server hands them over in chunks."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(_LOG, [pool.pk])
        while chunk := cursor.fetchmany(CHUNK):
            yield from chunk


def _check_board(pool: Pool, event: Mapping[str, Any]) -> None:
    before = event["seq"] - 1
    last = pool.events.filter(seq=before).values_list("sha256", flat=True).first()
    if last != event["log_sha256"]:
        raise LogError(event["seq"], "it was made from another log")
    board = boards.fit_pool(pool, seq=before)
    expected = {e.version: (round(e.r, 6), round(e.sd * e.sd, 6)) for e in board.entries if e.joined}
    stated = {version: (r, v) for version, r, v, _ in event["states"]}
    if expected != stated:
        raise LogError(event["seq"], "its board is not the one of the results before it")


def _check_head(pool: Pool, replayed: Audit) -> None:
    pool.refresh_from_db()
    if (pool.last_seq, pool.last_sha256) != (replayed.seq, replayed.sha256):
        raise LogError(pool.last_seq, f"the pool's head is not the last event, {replayed.seq}")


def _check_rows(pool: Pool, replayed: Audit) -> None:
    rows = {row.version_id: row for row in Rating.objects.filter(pool=pool)}
    for version in sorted(rows.keys() | replayed.states.keys()):
        row, state = rows.get(version), replayed.states.get(version)
        if row is None or state is None or state_of(row) != state:
            seq = row.updated_seq if row else replayed.seq
            raise LogError(seq, f"the rating of version {version} is {row and state_of(row)}, not {state}")
    latest = RatingPoint.objects.filter(pool=pool).order_by("version_id", "-event_id").distinct("version_id")
    for version, r, v, n in latest.values_list("version_id", "r", "v", "n"):
        state = replayed.states.get(version)
        if state is None or (float(r), float(v), n) != state:
            raise LogError(replayed.seq, f"the last point of version {version} is not its rating")
