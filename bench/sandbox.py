"""``./run bench sandbox``: what a sandbox costs to start, to ask, to stop and to end.

Prints one JSON line a figure (name, value, unit, n), the same for each backend, and beside them the same
program as a plain process: the difference is what isolation costs.
"""

from __future__ import annotations

import argparse
import functools
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench._figures import figure
from botapi.sandbox import KINDS, Runtime, probe, spawn
from botapi.sandbox.places import packages_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from botapi.sandbox import Kind, Proc

BOT = """
import sys
for line in sys.stdin:
    sys.stdout.write(line)
    sys.stdout.flush()
"""
MESSAGE = b"x" * 1500 + b"\n"


def round_trip(stdin: int, stdout: int) -> None:
    """One message there and the same back."""
    os.write(stdin, MESSAGE)
    got = 0
    poll = select.poll()
    poll.register(stdout, select.POLLIN)
    while got < len(MESSAGE):
        poll.poll()
        got += len(os.read(stdout, 65536))


def median_ms(times_ns: Sequence[int]) -> float:
    """The median, in milliseconds."""
    return statistics.median(times_ns) / 1e6


def measured(action: Callable[[], object]) -> int:
    """How long it took, in nanoseconds."""
    before = time.perf_counter_ns()
    action()
    return time.perf_counter_ns() - before


def plain(starts: int, turns: int) -> None:
    """The same bot without a sandbox: trusted code, this file's own."""
    first = []
    for _ in range(starts):
        before = time.perf_counter_ns()
        process = subprocess.Popen(
            ["/usr/bin/python3", "-I", "-B", "-c", BOT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={}
        )
        assert process.stdin is not None
        assert process.stdout is not None
        pipes = process.stdin.fileno(), process.stdout.fileno()
        round_trip(*pipes)
        first.append(time.perf_counter_ns() - before)
        if len(first) == starts:
            figure(
                "plain round trip", measured_turns(functools.partial(round_trip, *pipes), turns), "us", turns
            )
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
    figure("plain start to first answer", median_ms(first), "ms", starts)


def measured_turns(turn: Callable[[], None], turns: int) -> float:
    """Microseconds a turn, over all of them."""

    def all_turns() -> None:
        for _ in range(turns):
            turn()

    return measured(all_turns) / turns / 1e3


def sandboxed(kind: Kind, runtime: Runtime, bot: Path, starts: int, turns: int) -> None:
    """The figures of one backend."""
    spawns, first, ends = [], [], []
    for number in range(starts):
        before = time.perf_counter_ns()
        proc = spawn(bot, backend=kind, runtime=runtime)
        spawns.append(time.perf_counter_ns() - before)
        round_trip(proc.stdin, proc.stdout)
        first.append(time.perf_counter_ns() - before)
        if number == starts - 1:
            turning(kind, proc, turns)
        ends.append(measured(proc.close))
    figure(f"{kind} spawn returns", median_ms(spawns), "ms", starts)
    figure(f"{kind} start to first answer", median_ms(first), "ms", starts)
    figure(f"{kind} end", median_ms(ends), "ms", starts)
    figure(f"{kind} canary", measured(lambda: probe(kind, runtime)) / 1e6, "ms", 1)


def with_packages(kind: Kind, roomy: Runtime, place: Path, starts: int) -> None:
    """What the packages for bots add: to a bot that does not import them, and to one that does."""
    bots = {"packages there": BOT}
    bots |= {f"import {name}": f"import {name}\n{BOT}" for name in roomy.packages.versions}
    for name, source in bots.items():
        bot = place / name
        bot.mkdir(exist_ok=True)
        (bot / "main.py").write_text(source)
        first, spent = [], []
        for _ in range(starts):
            before = time.perf_counter_ns()
            proc = spawn(bot, backend=kind, runtime=roomy)
            round_trip(proc.stdin, proc.stdout)
            first.append(time.perf_counter_ns() - before)
            spent.append(proc.used_ns()[0])
            proc.close()
        figure(f"{kind} start to first answer, {name}", median_ms(first), "ms", starts)
        figure(f"{kind} processor time of the start, {name}", median_ms(spent), "ms", starts)
    figure(f"{kind} canary, packages there", measured(lambda: probe(kind, roomy)) / 1e6, "ms", 1)


def turning(kind: Kind, proc: Proc, turns: int) -> None:
    """Round trips with and without stopping the bot between them, and the price of the meters."""

    def frozen() -> None:
        os.write(proc.stdin, MESSAGE)
        proc.thaw()
        got = 0
        while got < len(MESSAGE):
            select.select([proc.stdout], [], [])
            got += len(os.read(proc.stdout, 65536))
        proc.freeze()
        proc.used_ns()

    def meters() -> None:
        proc.used_ns()

    figure(
        f"{kind} round trip", measured_turns(lambda: round_trip(proc.stdin, proc.stdout), turns), "us", turns
    )
    proc.freeze()
    figure(f"{kind} round trip, frozen between and metered", measured_turns(frozen, turns), "us", turns)
    figure(f"{kind} meters", measured_turns(meters, turns), "us", turns)
    proc.thaw()


def _carried(kind: Kind, runtime: Runtime) -> bool:
    """Whether this machine carries the backend; if not, it says why."""
    reason = probe(kind, runtime).reason
    if reason:
        print(f"bench sandbox: {kind} was not measured: {reason}", file=sys.stderr, flush=True)
    return not reason


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="bench sandbox", description=__doc__)
    parser.add_argument("--starts", type=int, default=20, help="how many sandboxes are started (default 20)")
    parser.add_argument(
        "--turns", type=int, default=5000, help="how many round trips are made (default 5000)"
    )
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as place:
        bot = Path(place) / "bot"
        bot.mkdir()
        (bot / "main.py").write_text(BOT)
        plain(options.starts, options.turns)
        runtime = Runtime()
        carried = [kind for kind in KINDS if _carried(kind, runtime)]
        for kind in carried:
            sandboxed(kind, runtime, bot, options.starts, options.turns)
        runtime.close()
        packages = packages_directory(
            os.environ.get("SANDBOX_PACKAGES", ""), os.environ.get("SANDBOX_RUNTIME", "")
        )
        roomy = Runtime(packages=packages)
        for kind in carried if roomy.packages.path else ():
            with_packages(kind, roomy, Path(place), options.starts)
        roomy.close()
    return 0 if carried else 1


if __name__ == "__main__":
    sys.exit(main())
