"""The audit of a pool: its log replayed from the first event and compared with the rows pages read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from games.models import Seat
from ladder import boards
from ladder.models import Pool, Rating, RatingEvent, RatingPoint
from ladder.open_log import state_of
from ladder.pair_tallies import wrong_pair
from ladder.replay import Audit, LogError

CHUNK = 5000


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
    for chunk in _chunks(pool):
        places = _places([match for _, kind, match, _, _ in chunk if kind == "match"])
        for seq, kind, match, payload, sha256 in chunk:
            event = replayed.check(seq, payload, sha256)
            if event["kind"] != kind or event.get("match") != match:
                raise LogError(seq, f"its row says {kind} of match {match}, its payload {event['kind']}")
            if kind == "match" and {(s[0], s[1]) for s in event["seats"]} != places.get(match):
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


def _chunks(pool: Pool) -> Iterator[list[tuple[int, str, int | None, str, str]]]:
    rows = pool.events.order_by("seq").values_list("seq", "kind", "match_id", "payload", "sha256")
    chunk: list[tuple[int, str, int | None, str, str]] = []
    for row in rows.iterator(chunk_size=CHUNK):
        chunk.append(row)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    yield chunk


def _places(matches: list[int | None]) -> dict[int | None, set[tuple[int | None, int | None]]]:
    found: dict[int | None, set[tuple[int | None, int | None]]] = {}
    seats = Seat.objects.filter(match__in=matches, version__isnull=False).order_by()
    for match, version, place in seats.values_list("match_id", "version_id", "place"):
        found.setdefault(match, set()).add((version, place))
    return found


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
