"""``./run bench http``: many matches at once against HTTP bots that take 100 ms for every answer.

One real match host on one core, and a real HTTP server on the others for all the bots (on loopback: the seats
say so, as they do in development). Prints one JSON line a figure (name, value, unit, n): matches open at once,
calls/s, processor milliseconds of the host a call, what the calls took beyond the bots' own time, and timeouts.
Ends with 1 when a match did not go as it should, when not all were open at once, or when a call cost more than
3 ms. With ``--parent-signs`` the host holds no secrets, as at a table with sandboxed bots.
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

from bench._figures import figure
from botapi import signing
from engine import PRESETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SECRET = signing.new_secret()
CLOCK_HZ = os.sysconf("SC_CLK_TCK")
MOST_CPU_MS = 3.0
"""Processor time of the host that a call may cost."""
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


def job(number: int, url: str, deals: int, *, parent_signs: bool) -> dict[str, Any]:
    """A match of pl-3 between three of the bot."""
    seat = {"kind": "http", "name": "slow", "url": url, "allow_private": True}
    seat |= {"parent_signs": True} if parent_signs else {"secrets": [SECRET]}
    return {
        "type": "job",
        "match": str(number),
        "attempt": 1,
        "rules": dataclasses.replace(PRESETS["pl-3"], deal_limit=deals).to_json(),
        "seed": hashlib.sha256(b"%d" % number).hexdigest(),
        "seats": [seat] * 3,
    }


def signed(event: dict[str, Any]) -> dict[str, Any]:
    """What the parent answers to ``sign``."""
    headers = signing.headers([SECRET], event["id"], event["timestamp"], event["body"].encode())
    return {
        "type": "signed",
        "match": event["match"],
        "attempt": event["attempt"],
        "id": event["id"],
        "headers": headers,
    }


def play(
    process: subprocess.Popen[bytes], jobs: Sequence[dict[str, Any]]
) -> tuple[list[dict[str, Any]], int]:
    """Hand all jobs over at once and wait: their last events, and how many were open at a time."""
    assert process.stdin is not None
    assert process.stdout is not None

    def send(messages: Sequence[dict[str, Any]]) -> None:
        assert process.stdin is not None
        process.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in messages))
        process.stdin.flush()

    send(jobs)
    ends: list[dict[str, Any]] = []
    begun = most = 0
    while len(ends) < len(jobs):
        line = process.stdout.readline()
        if not line:
            raise SystemExit("the host ended")
        event = json.loads(line)
        if event["type"] == "sign":
            send([signed(event)])
        begun += event["type"] == "started"
        most = max(most, begun - len(ends))
        if event["type"] in ENDINGS:
            ends.append(event)
    return ends, most


def report(ends: list[dict[str, Any]], most: int, seconds: float, cpu: float, latency_ms: float) -> int:
    """Print the figures; 1 when something is not as it must be."""
    bad = [event for event in ends if event["type"] != "finished"]
    faults = [fault for event in ends for fault in event.get("faults", ())]
    turns = [turn for event in ends for log in event.get("logs", ()) for turn in log["turns"]]
    cpu_ms = cpu / len(turns) * 1000
    figure("http_matches_at_once", most, "matches", len(ends))
    figure("http_calls", len(turns) / seconds, "calls/s", len(turns))
    figure("http_cpu_per_call", cpu_ms, "ms", len(turns))
    beyond = [turn["wall_ms"] - latency_ms for turn in turns]
    figure("http_beyond_latency", statistics.median(beyond), "ms", len(beyond))
    figure("http_beyond_latency_p99", statistics.quantiles(beyond, n=100)[-1], "ms", len(beyond))
    figure("http_stalls_taken_off", sum(turn["delay_ms"] for turn in turns) / len(turns), "ms", len(turns))
    figure("http_timeouts", sum(fault["code"] == "timeout" for fault in faults), "faults", len(turns))
    figure("http_other_faults", sum(fault["code"] != "timeout" for fault in faults), "faults", len(turns))
    wrong = []
    if bad or faults:
        first = bad[0].get("reason") or bad[0].get("message") if bad else faults[0]["message"]
        wrong.append(f"a match did not go as it should: {first}")
    if most < len(ends):
        wrong.append(f"only {most} of {len(ends)} matches were open at once")
    if cpu_ms > MOST_CPU_MS:
        wrong.append(f"a call cost {cpu_ms:.1f} ms of processor time, more than {MOST_CPU_MS:.0f}")
    for words in wrong:
        print(words, file=sys.stderr)
    return int(bool(wrong))


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench http", description=__doc__)
    parser.add_argument("--matches", type=int, default=100, help="how many are played at once (default 100)")
    parser.add_argument("--deals", type=int, default=3, help="deals of a match (default 3)")
    parser.add_argument("--latency-ms", type=float, default=100, help="of the bots (default 100)")
    parser.add_argument("--parent-signs", action="store_true", help="let the host ask for every signature")
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
        jobs = [
            job(number, url, options.deals if number else 1, parent_signs=options.parent_signs)
            for number in range(options.matches + 1)
        ]
        play(process, jobs[:1])  # imports and first connections are no overhead of a call
        cpu, began = processor_seconds(process.pid), time.perf_counter()
        ends, most = play(process, jobs[1:])
        seconds, cpu = time.perf_counter() - began, processor_seconds(process.pid) - cpu
        process.stdin.close()
        process.wait()
    return report(ends, most, seconds, cpu, options.latency_ms)


if __name__ == "__main__":
    sys.exit(main())
