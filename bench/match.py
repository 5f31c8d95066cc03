"""``./run bench match``: three trivial sandboxed bots play full pl-3 matches on one core.

Prints one JSON line a figure (name, value, unit, n): decisions/s and processor seconds a match, the bare
round trip over pipes of messages of the same size in the same run, and how many of those a decision costs.
``--profile`` adds where the host's time goes.
"""

from __future__ import annotations

import argparse
import cProfile
import hashlib
import os
import pstats
import resource
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from bench._figures import figure
from engine import PRESETS
from games.commandline import local
from games.commandline.workshop import workshop
from games.host import JobLine
from games.job import SeatJob

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TRIVIAL = """
import json, sys
read, write, flush = sys.stdin.readline, sys.stdout.write, sys.stdout.flush
while line := read():
    m = json.loads(line)
    if m["type"] == "act":
        for action in m["legal"]:
            if action not in ("redeal", "concede"):
                break
        write('{"id":"%s","action":"%s"}\\n' % (m["id"], action))
        flush()
    elif m["type"] == "hello":
        write('{"v":1,"id":"%s","ready":true}\\n' % m["id"])
        flush()
"""
ECHO = """
import os
reply = b"x" * {size} + b"\\n"
while True:
    data = os.read(0, 1 << 20)
    if not data:
        break
    while not data.endswith(b"\\n"):
        data = os.read(0, 1 << 20)
    os.write(1, reply)
"""


def processor_seconds() -> float:
    """Processor time of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def seat(root: Path, *, plain: bool) -> SeatJob:
    """The trivial bot, sandboxed or as a plain process."""
    directory = root / "trivial"
    directory.mkdir(mode=0o755, exist_ok=True)
    (directory / "main.py").write_text(TRIVIAL)
    (directory / "main.py").chmod(0o644)
    if plain:
        return SeatJob(kind="process", name="trivial", argv=("/usr/bin/python3", str(directory / "main.py")))
    return SeatJob(kind="sandbox", name="trivial", dir=str(directory))


def matches(count: int, bot: SeatJob) -> list[JobLine]:
    """``count`` matches of pl-3 between three of the bot."""
    rules = PRESETS["pl-3"].to_json()
    return [
        JobLine(
            match=str(n), attempt=1, rules=rules, seed=hashlib.sha256(b"%d" % n).hexdigest(), seats=(bot,) * 3
        )
        for n in range(count)
    ]


def bare_round_trip_us(request: int, reply: int, count: int) -> float:
    """Mean microseconds of a round trip over pipes of messages of these sizes, without anything else."""
    argv = ["/usr/bin/python3", "-c", ECHO.format(size=reply - 1)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as echo:
        assert echo.stdin is not None
        assert echo.stdout is not None
        to, back = echo.stdin.fileno(), echo.stdout.fileno()
        message = b"y" * (request - 1) + b"\n"
        for warm in (True, False):
            rounds = 200 if warm else count
            began = time.perf_counter()
            for _ in range(rounds):
                os.write(to, message)
                os.read(back, 1 << 20)
            seconds = time.perf_counter() - began
        echo.stdin.close()
    return seconds / count * 1e6


def play(count: int, *, plain: bool) -> tuple[list[dict[str, Any]], float, float]:
    """The matches' last events, the seconds they took and the processor seconds of the host."""
    ends: list[dict[str, Any]] = []
    with workshop() as root:
        bot = seat(root, plain=plain)
        local.run_jobs(matches(1, bot), root, plain=plain, on_end=lambda _: None)
        cpu, began = processor_seconds(), time.perf_counter()
        local.run_jobs(matches(count, bot), root, plain=plain, on_end=ends.append)
        return ends, time.perf_counter() - began, processor_seconds() - cpu


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench match", description=__doc__)
    parser.add_argument("--matches", type=int, default=5)
    parser.add_argument(
        "--no-sandbox", action="store_true", help="plain processes, to see what the sandbox costs"
    )
    parser.add_argument("--profile", action="store_true", help="print where the host's time goes")
    options = parser.parse_args(argv)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    profile = cProfile.Profile()
    if options.profile:
        profile.enable()
    ends, seconds, cpu = play(options.matches, plain=options.no_sandbox)
    profile.disable()
    bad = [event for event in ends if event["type"] != "finished" or event["faults"]]
    if bad:
        print(
            f"a match did not go as it should: {bad[0].get('reason') or bad[0].get('faults')}",
            file=sys.stderr,
        )
        return 1
    turns = [turn for event in ends for log in event["logs"] for turn in log["turns"] if turn["n"]]
    asked = len(turns)
    figure("match_decisions", asked / seconds, "decisions/s", asked)
    bots = sum(seat["cpu_ms"] for event in ends for seat in event["timings"].values()) / 1000
    figure("match_cpu", (cpu + bots) / len(ends), "s/match", len(ends))
    figure("match_cpu_host", cpu / len(ends), "s/match", len(ends))
    figure("match_cpu_per_decision", (cpu + bots) / asked * 1e6, "us", asked)
    starts = [log["turns"][0]["wall_ms"] for event in ends for log in event["logs"]]
    figure("match_hello", sum(starts) / len(starts), "ms", len(starts))
    figure(
        "match_deals", sum(len(event["record"]["deals"]) for event in ends) / seconds, "deals/s", len(ends)
    )
    requests = [len(bytes(turn["request"])) + 1 for turn in turns if turn["request"] is not None]
    replies = [len(turn["answer"]) + 1 for turn in turns]
    size, reply = sum(requests) // len(requests), sum(replies) // len(replies)
    figure("match_request_size", size, "bytes", len(requests))
    bare = bare_round_trip_us(size, reply, 20_000)
    figure("bare_round_trip", bare, "us", 20_000)
    figure("decision_in_round_trips", seconds / asked * 1e6 / bare, "multiple", asked)
    if options.profile:
        pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(30)
    return 0


if __name__ == "__main__":
    sys.exit(main())
