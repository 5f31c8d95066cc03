"""Sends results of matches many times, and at once, in a filled database; a JSON line a way (:mod:`bench.ratings`).

What is compared is everything that a result changes: the match, its attempts and seats, record, rating rows, points and
log. ``differing`` counts what is not as one delivery, rated once, leaves it.
"""

from __future__ import annotations

import json
import random
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from django.db import connection

from bench import _ready
from bench._finish_probe import played, queued
from botapi.models import Version
from games import queue, results
from games.models import Match, MatchAttempt, MatchRecord, Seat
from ladder.audits import audit
from ladder.models import Pool, Rating, RatingEvent, RatingPoint
from ladder.rating_log import rate_finished

assert _ready  # Django is ready before the models are imported

T = TypeVar("T")
TIMES = 2
AT_ONCE = 8


def state(pool: Pool, match: int) -> tuple[Any, ...]:
    """All that a result of ``match`` changes."""
    return (
        Match.objects.filter(pk=match).values().get(),
        list(MatchAttempt.objects.filter(match=match).order_by("pk").values()),
        list(Seat.objects.filter(match=match).order_by("index").values()),
        list(MatchRecord.objects.filter(match=match).values()),
        list(Rating.objects.filter(pool=pool).order_by("pk").values()),
        list(RatingEvent.objects.filter(pool=pool).order_by("seq").values("seq", "match_id", "sha256")),
        RatingPoint.objects.filter(event__pool=pool).count(),
    )


def main(count: int) -> None:
    """Send ``count`` results each way and print."""
    pool = Pool.objects.select_related("season__series").latest("pk")
    versions, draw = list(Version.objects.filter(ratings__pool=pool).order_by("pk")), random.Random(1)
    rate_finished(pool)
    twice = sum(_sent_again(pool, draw.sample(versions, pool.players)) for _ in range(count))
    _say("sent_twice", count, twice)
    at_once = sum(_sent_at_once(pool, draw.sample(versions, pool.players)) for _ in range(count))
    _say(f"sent_{AT_ONCE}_at_once", count, at_once)
    before = state(pool, Match.objects.latest("pk").pk)
    replayed = audit(pool, with_boards=True)  # compares rows, points and log with what it works out itself
    other = before != state(pool, Match.objects.latest("pk").pk)
    _say("log_replayed", replayed.matches, int(other))


def _sent_again(pool: Pool, seats: list[Version]) -> int:
    """One result, one delivery after the other, rated after each."""
    claim, result = _claimed(pool, seats)
    taken = [results.finish(claim.match.pk, claim.attempt, result)]
    rated = [rate_finished(pool)]
    once = state(pool, claim.match.pk)
    for _ in range(TIMES - 1):
        taken.append(results.finish(claim.match.pk, claim.attempt, result))
        rated.append(rate_finished(pool))
    return (taken.count(True) != 1) + (sum(rated) != 1) + (state(pool, claim.match.pk) != once)


def _sent_at_once(pool: Pool, seats: list[Version]) -> int:
    """One result, delivered and rated by several at the same moment."""
    claim, result = _claimed(pool, seats)
    taken = _together(lambda: results.finish(claim.match.pk, claim.attempt, result))
    rated = _together(lambda: rate_finished(pool))
    once = state(pool, claim.match.pk)
    attempts, records = len(once[1]), len(once[3])
    differing = (taken.count(True) != 1) + (sum(rated) != 1) + (attempts != 1) + (records != 1)
    entries = RatingEvent.objects.filter(pool=pool, kind=RatingEvent.Kind.MATCH, match=claim.match.pk)
    return differing + (entries.count() != 1)


def _together(act: Callable[[], T]) -> list[T]:
    """What ``act`` gives to each of several threads that begin together."""
    start = threading.Barrier(AT_ONCE)
    given: list[T] = []

    def one() -> None:
        try:
            start.wait()
            given.append(act())
        finally:
            connection.close()

    threads = [threading.Thread(target=one) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(given) != AT_ONCE:
        sys.exit(f"{AT_ONCE - len(given)} of {AT_ONCE} deliveries at once failed")
    return given


def _claimed(pool: Pool, seats: list[Version]) -> tuple[queue.Claim, results.Result]:
    match = queued(pool, seats)
    claim = queue.claim(match.pk, "bench")
    assert claim is not None
    return claim, played(claim)


def _say(way: str, n: int, differing: int) -> None:
    print(json.dumps({"way": way, "n": n, "differing": differing}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
