"""Rows for tests of the queue: bots of each kind with passed versions, series, matches; hosts that play them."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

from django.utils import timezone

from botapi import archive
from botapi.models import Artifact, Bot, User, Version
from engine import PRESETS
from games import queue
from games.models import Match, Series

BOTS = Path(__file__).parent.parent / "bots"
CLOCKS = {"act_ms": 200, "bank_ms": 20_000, "hard_ms": 5_000, "start_ms": 10_000}
SHORT = dataclasses.replace(PRESETS["pl-3"], deal_limit=2)
numbers = itertools.count(1)


def author(**changes):
    name = f"author{next(numbers)}"
    return User.objects.create_user(
        name, f"{name}@example.org", "correct horse battery", email_verified_at=timezone.now(), **changes
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


def match(seats=None, rules=SHORT, klass=Match.Class.LADDER, **changes):
    seats = seats or [house("greedy"), house("counter"), house("random")]
    changes = {"series": series("tests"), "clocks": CLOCKS, "rated": False} | changes
    return queue.enqueue(klass=klass, rules=rules, seats=seats, **changes)
