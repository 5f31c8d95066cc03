"""Rows for tests of the queue: bots of each kind with passed versions, series, matches; hosts that play them."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path

from django.utils import timezone

from botapi import archive
from botapi.house import Draws, choose
from botapi.models import Artifact, Bot, User, Version
from engine import PRESETS, Game, RuleSet
from games import queue, results
from games.models import Match, Series

BOTS = Path(__file__).parent.parent / "bots"
CLOCKS = {"act_ms": 200, "bank_ms": 20_000, "hard_ms": 5_000, "start_ms": 10_000}
SHORT = dataclasses.replace(PRESETS["pl-3"], deal_limit=2)
numbers = itertools.count(1)


def author(**changes):
    name = f"author{next(numbers)}"
    return User.objects.create(
        username=name, email=f"{name}@example.org", email_verified_at=timezone.now(), **changes
    )


def house(name="greedy"):
    bot, _ = Bot.objects.get_or_create(name=name, kind="house", defaults={"house": name})
    return _passed(bot)


def sandboxed(source=None, owner=None, name=""):
    """A sandboxed bot of this source (the good one of tests/bots by default)."""
    source = source if source is not None else (BOTS / "good.py").read_text()
    bot = Bot.objects.create(name=name or f"bot-{next(numbers)}", kind="sandbox", owner=owner or author())
    accepted = archive.accept("main.py", source.encode())
    artifact, _ = Artifact.objects.get_or_create(
        sha256=accepted.sha256,
        defaults={"data": accepted.canonical_zip, "size": len(accepted.canonical_zip)},
    )
    return _passed(bot, sha256=accepted.sha256, artifact=artifact)


def endpoint(url, owner=None):
    bot = Bot.objects.create(name=f"web-{next(numbers)}", kind="http", owner=owner or author())
    return _passed(bot, sha256=f"{next(numbers):064x}", url=url)


def _passed(bot, **content):
    if bot.active_version is None:
        content.setdefault("sha256", f"{bot.pk:064x}")
        bot.active_version = Version.objects.create(bot=bot, number=1, state="passed", **content)
        bot.save()
    return bot.active_version


def series(name=""):
    return queue.open_series(Series.Kind.TESTS, name or f"series {next(numbers)}")


def match(seats=None, rules=SHORT, klass=Match.Class.LADDER, **changes) -> Match:
    seats = seats or [house("greedy"), house("counter"), house("random")]
    changes = {"series": series("tests"), "clocks": CLOCKS, "rated": False} | changes
    return queue.enqueue(klass=klass, rules=rules, seats=seats, **changes)


def result_of(claim, stand_ins=(), faults=()):
    """What a host would report of a claimed match: house bots play it through the engine."""
    match = claim.match
    ruleset = RuleSet.from_json(match.rules)
    game = Game(ruleset, seed=claim.seed)
    draws = [Draws(claim.seed, seat) for seat in range(ruleset.players)]
    while game.seat is not None:
        game.apply(choose("greedy", game.view(game.seat), game.legal, draws[game.seat]))
    seats = [
        {"name": seat.name, "version": "1" if seat.version_id else ""}
        for seat in match.seats.order_by("index")
    ]
    record = game.record(match=str(match.pk), seats=seats, stand_ins=list(stand_ins))
    return results.Result(
        record=json.loads(json.dumps(record)),
        faults=faults,
        logs=[{}] * ruleset.players,
        seconds=1.0,
        decisions=7,
    )


def fault(seat, code="timeout"):
    return {
        "seat": seat,
        "code": code,
        "detail": "slow",
        "deal": 0,
        "action": 3,
        "request": {"type": "act"},
        "answer": "nul \0 and \ud800",
        "message": "what happened",
    }


def finished(seats=None, stand_ins=(), faults=(), **changes) -> Match:
    """A match that was played; returns its row."""
    made = match(seats, **changes)
    claim = queue.claim(made.pk, "tester")
    assert claim
    assert results.finish(made.pk, claim.attempt, result_of(claim, stand_ins, faults))
    made.refresh_from_db()
    return made
