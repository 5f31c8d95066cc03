"""Finishes and rates matches in a filled database; a JSON line a match (:mod:`bench.finish`)."""

from __future__ import annotations

import json
import random
import sys
from typing import Any

from django.conf import settings

from bench import _ready
from bench._server_time import measured
from botapi.models import Version
from engine import RuleSet
from games import queue, results
from games.models import Match
from ladder.matchmaking import clocks_of
from ladder.models import Pool
from ladder.rating_log import rate_finished
from ladder.self_played import play

assert _ready  # Django is ready before the models are imported


def main(count: int) -> None:
    """Measure and print."""
    settings.DEBUG = False
    pool = Pool.objects.select_related("season__series").latest("pk")
    found = Version.objects.filter(ratings__pool=pool).select_related("bot").order_by("pk")
    versions, draw = list(found), random.Random(1)
    rate_finished(pool)
    for _ in range(count):
        match = queued(pool, draw.sample(versions, pool.players))
        claim = queue.claim(match.pk, "bench")
        assert claim is not None
        result = played(claim)
        with measured() as finishing:
            assert results.finish(match.pk, claim.attempt, result)
        with measured() as rating:
            assert rate_finished(pool) == 1
        line: dict[str, Any] = {}
        for what, spent in (("finish", finishing), ("rate", rating)):
            line |= {f"{what}_calls": spent.calls, f"{what}_database": spent.database}
            line |= {f"{what}_queries": spent.queries}
        print(json.dumps(line), flush=True)


def queued(pool: Pool, seats: list[Version]) -> Match:
    """A rated match of these versions in the pool's season."""
    season = pool.season
    assert season.series is not None
    return queue.enqueue(
        series=season.series,
        klass=Match.Class.LADDER,
        rules=season.rules,
        clocks=clocks_of(season, seats),
        seats=seats,
        rated=True,
    )


def played(claim: queue.Claim) -> results.Result:
    """What a host reports of the match, whose house bots play here."""
    match = claim.match
    seats = list(match.seats.select_related("version__bot").order_by("index"))
    house = [seat.version.bot.house for seat in seats if seat.version is not None]
    game, decisions = play(RuleSet.from_json(match.rules), claim.seed, house)
    names = [{"name": seat.name, "version": str(seat.version.number)} for seat in seats if seat.version]
    record = json.loads(json.dumps(game.record(match=str(match.pk), seats=names, stand_ins=[])))
    return results.Result(record=record, logs=[{}] * len(seats), seconds=1.0, decisions=decisions)


if __name__ == "__main__":
    main(int(sys.argv[1]))
