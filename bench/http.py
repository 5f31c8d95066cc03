"""``./run bench http``: many matches at once against HTTP bots that take 100 ms for every answer.

One real match host on one core, and a real HTTP server on the others for all the bots (on loopback: the seats
say so, as they do in development). Prints one JSON line a figure (name, value, unit, n): matches, calls/s,
processor milliseconds of the host a call, what the calls took beyond the bots' own time, and timeouts.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.match import figure
from botapi import signing
from engine import PRESETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CLOCK_HZ = os.sysconf("SC_CLK_TCK")
ENDINGS = ("finished", "refused", "failed", "error")


@contextlib.contextmanager
def endpoint(latency_ms: float, cores: set[int]) -> Iterator[str]:
    """The address of a bot that answers after ``latency_ms``."""
    argv = [sys.executable, "-m", "bench._slow_endpoint", "--latency-ms", str(latency_ms)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        os.sched_setaffinity(server.pid, cores)
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/"
        finally:
            server.kill()


@contextlib.contextmanager
def host(core: int, *, profile: str) -> Iterator[subprocess.Popen[bytes]]:
    """A match host that may use one core."""
    profiler = ["-m", "cProfile", "-o", profile] if profile else []
    argv = [sys.executable, *profiler, "-m", "games.host", "--no-sandbox"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        os.sched_setaffinity(process.pid, {core})
        try:
            yield process
        except BaseException:
            process.kill()
            raise


def processor_seconds(pid: int) -> float:
    """Processor time of a process, user and system."""
    text = Path(f"/proc/{pid}/stat").read_text()
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_HZ


def job(number: int, url: str, deals: int) -> dict[str, Any]:
    """A match of pl-3 between three of the bot."""
    secret = signing.new_secret()
    seat = {"kind": "http", "name": "slow", "url": url, "secrets": [secret], "allow_private": True}
    return {
        "type": "job",
        "match": str(number),
        "attempt": 1,
        "rules": dataclasses.replace(PRESETS["pl-3"], deal_limit=deals).to_json(),
        "seed": hashlib.sha256(b"%d" % number).hexdigest(),
        "seats": [seat] * 3,
    }


def play(process: subprocess.Popen[bytes], jobs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Hand all jobs over at once and wait for their last events."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in jobs))
    process.stdin.flush()
    ends: list[dict[str, Any]] = []
    while len(ends) < len(jobs):
        line = process.stdout.readline()
        if not line:
            raise SystemExit("the host ended")
        event = json.loads(line)
        if event["type"] in ENDINGS:
            ends.append(event)
    return ends


def report(ends: list[dict[str, Any]], seconds: float, cpu: float, latency_ms: float) -> int:
    """Print the figures; 1 when a match did not go as it should."""
    bad = [event for event in ends if event["type"] != "finished"]
    faults = [fault for event in ends for fault in event.get("faults", ())]
    turns = [turn for event in ends for log in event.get("logs", ()) for turn in log["turns"]]
    figure("http_matches_at_once", len(ends), "matches", len(ends))
    figure("http_calls", len(turns) / seconds, "calls/s", len(turns))
    figure("http_cpu_per_call", cpu / len(turns) * 1000, "ms", len(turns))
    beyond = [turn["wall_ms"] - latency_ms for turn in turns]
    figure("http_beyond_latency", statistics.median(beyond), "ms", len(beyond))
    figure("http_beyond_latency_p99", statistics.quantiles(beyond, n=100)[-1], "ms", len(beyond))
    figure("http_stalls_taken_off", sum(turn["delay_ms"] for turn in turns) / len(turns), "ms", len(turns))
    figure("http_timeouts", sum(fault["code"] == "timeout" for fault in faults), "faults", len(turns))
    figure("http_other_faults", sum(fault["code"] != "timeout" for fault in faults), "faults", len(turns))
    if bad or faults:
        first = bad[0].get("reason") or bad[0].get("message") if bad else faults[0]["message"]
        print(f"a match did not go as it should: {first}", file=sys.stderr)
    return int(bool(bad or faults))


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench http", description=__doc__)
    parser.add_argument("--matches", type=int, default=100, help="how many are played at once (default 100)")
    parser.add_argument("--deals", type=int, default=3, help="deals of a match (default 3)")
    parser.add_argument("--latency-ms", type=float, default=100, help="of the bots (default 100)")
    parser.add_argument("--profile", default="", help="write the host's profile to this file")
    options = parser.parse_args(argv)
    cores = sorted(os.sched_getaffinity(0))
    with (
        endpoint(options.latency_ms, set(cores[:-1] or cores)) as url,
        host(cores[-1], profile=options.profile) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()  # ready
        play(process, [job(0, url, 1)])  # imports and first connections are no overhead of a call
        cpu, began = processor_seconds(process.pid), time.perf_counter()
        ends = play(process, [job(number, url, options.deals) for number in range(1, options.matches + 1)])
        seconds, cpu = time.perf_counter() - began, processor_seconds(process.pid) - cpu
        process.stdin.close()
        process.wait()
    return report(ends, seconds, cpu, options.latency_ms)


if __name__ == "__main__":
    sys.exit(main())
