"""A worker killed in the middle of its matches: a real Celery worker, real hosts, real sandboxes."""

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.db import connection

from engine import PRESETS
from engine.record import verify
from games.models import Fault, Match, MatchAttempt, MatchRecord
from tests.games import making
from tests.games.replaying import record_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.e2e]
ROOT = Path(__file__).parents[2]
RULES = dataclasses.replace(PRESETS["pl-3"], deal_limit=8)


def environment(**settings):
    """Of a process of the service, on the test's own servers."""
    database = connection.settings_dict
    address = "postgresql://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(**database)
    return {
        **{
            name: os.environ[name]
            for name in ("PATH", "REDIS_URL", "DEBUG", "HOME", "SANDBOX_RUNTIME")
            if name in os.environ
        },
        "DATABASE_URL": address,
        "BOT_ENDPOINTS_ALLOW_PRIVATE": "1",
        "MATCH_LEASE_S": "30",
        **settings,
    }


@contextlib.contextmanager
def celery_worker(*arguments, name="tester", program=("-m", "celery"), **settings):
    """A real worker with two pool processes on the test's own database; killed with all it started at the end."""
    command = [sys.executable, *program, "-A", "ladder.celery", "worker", "-P", "prefork", "-c", "2"]
    command += [
        "-Q",
        "default,cpu,waiting",
        "-n",
        f"{name}@here",
        "-l",
        "WARNING",
        "--without-mingle",
        "--without-gossip",
    ]
    process = subprocess.Popen([*command, *arguments], cwd=ROOT, env=environment(**settings))
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(60)
            finally:
                process.kill()
                process.wait()


def until(condition, seconds=150):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about: " + str(
            list(Match.objects.values_list("pk", "state", "attempt", "reason"))
        )
        time.sleep(0.05)


def running(pid):
    """Whether the process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def descendants(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def states():
    return sorted(Match.objects.values_list("state", flat=True))


def test_a_worker_killed_in_the_middle_of_ten_matches_loses_and_doubles_nothing():
    bots = [making.sandboxed() for _ in range(6)]
    matches = [
        making.match([bots[i % 6], bots[(i + 1) % 6], bots[(i + 2) % 6]], rules=RULES, rated=True)
        for i in range(10)
    ]
    with celery_worker() as worker:
        until(lambda: "running" in states() and states().count("finished") >= 2)
        until(lambda: MatchAttempt.objects.filter(outcome="running").exists())
        started = descendants(worker.pid)
        assert len(started) > 2
        worker.kill()
        worker.wait()
        until(lambda: not any(running(pid) for pid in started), 10)
    left = states()
    assert "running" in left
    with celery_worker():
        until(lambda: states() == ["finished"] * 10, 90)

    finished = Match.objects.order_by("finish_seq")
    assert len(set(finished.values_list("finish_seq", flat=True))) == 10
    assert MatchRecord.objects.count() == 10
    for match in finished:
        verify(record_of(match))
        outcomes = list(match.attempts.values_list("outcome", flat=True))
        assert outcomes.count("finished") == 1
        assert outcomes == ["infra_lost"] * (len(outcomes) - 1) + ["finished"]
        assert match.logs.values("seat").distinct().count() == 3
        assert set(match.logs.values_list("attempt", flat=True)) == {match.attempt}
    assert MatchAttempt.objects.filter(outcome="infra_lost").count() == left.count("running")
    assert not Fault.objects.exists()
    assert {seat.version.bot.state for match in matches for seat in match.seats.all()} == {"active"}
