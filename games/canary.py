"""A short match of sample bots that a worker plays for itself: its result says whether it may play others'.

The sandbox's own canary (sandbox.md section 2) shows that bots cannot break out; this one, that they can play: host,
sandbox, interpreter, clocks and records work together on this machine. It stands in no row and is rated nowhere.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from importlib import resources
from typing import Any, Final

from botapi import archive
from botapi.errors import PlatformError
from botapi.sandbox.limits import cpu_seconds
from engine import PRESETS, EngineError
from engine.record import verify
from games.host_process import HostProcess
from games.job_making import UNPACKED, runtime_directory

MATCH: Final = "canary"
SAMPLE: Final = "starter.py"
RULES: Final = replace(PRESETS["pl-3"], deal_limit=1)
CLOCKS: Final = {"act_ms": 5_000, "bank_ms": 30_000, "hard_ms": 30_000, "start_ms": 30_000}
"""Generous: whether the machine is quick enough is seen at each match."""
PLAYED_IN_S: Final = 60
ENDINGS: Final = ("finished", "refused", "failed")
"""What a host says last of a match."""


class CanaryFailed(PlatformError):  # noqa: N818 - what happened
    """The canary match did not come to a good end on this machine; the text says what came instead."""


def play(host: HostProcess) -> None:
    """Play the match in ``host``, whose word is then checked. Raises CanaryFailed."""
    host.send(_job())
    deadline = time.monotonic() + PLAYED_IN_S
    while (left := deadline - time.monotonic()) > 0:
        for event in host.events(left):
            if event.get("match") == MATCH and event["type"] in ENDINGS:
                _judge(event)
                return
    raise CanaryFailed(f"A match of sample bots was not over within {PLAYED_IN_S} s.")


def _job() -> dict[str, Any]:
    root = runtime_directory() / UNPACKED
    root.mkdir(mode=0o711, exist_ok=True)
    sample = archive.accept("main.py", resources.files("botapi.samples").joinpath(SAMPLE).read_bytes())
    place = archive.unpack(sample.canonical_zip, sample.sha256, root)
    os.utime(place)  # in use: see job_making.remove_unused_bots
    times = {name: CLOCKS[name] for name in ("act_ms", "bank_ms", "start_ms")}
    bot = {
        "kind": "sandbox",
        "version": "1",
        "dir": str(place),
        "limits": {"cpu_s": cpu_seconds(deal_limit=RULES.deal_limit, **times)},
    }
    return {
        "type": "job",
        "job": "match",
        "purpose": "match",
        "match": MATCH,
        "attempt": 1,
        "rules": RULES.to_json(),
        "seed": os.urandom(32).hex(),
        "clocks": CLOCKS,
        "seats": [{**bot, "name": f"{MATCH} {index + 1}"} for index in range(RULES.players)],
        "journal": [],
        "reveal_seed": True,
    }


def _judge(event: dict[str, Any]) -> None:
    if event["type"] != "finished":
        raise CanaryFailed(f"A match of sample bots ended as {event['type']}: {_why(event)}.")
    if event["faults"]:
        raise CanaryFailed(f"A sample bot was at fault in a match of its own: {event['faults'][0]['code']}.")
    try:
        verify(event["record"])
    except EngineError as error:
        raise CanaryFailed(f"The record of a match of sample bots does not verify: {error}.") from error


def _why(event: dict[str, Any]) -> str:
    return str(event.get("reason") or event.get("message") or "no reason was given")
