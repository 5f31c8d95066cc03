"""Processes of the service for tests: workers and Celery's clock, real ones on the test's own servers."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from django.db import connection

from games.models import Match

ROOT = Path(__file__).parents[2]


def environment(**settings):
    """Of a process of the service, on the test's own servers.

    Django's checks of the project take as long as all else a worker does at its start; the demo's processes make them.
    """
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
        "CELERY_SKIP_CHECKS": "1",
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


@contextlib.contextmanager
def beat():
    """Celery's clock with the service's own schedule."""
    command = [sys.executable, "-m", "celery", "-A", "ladder.celery", "beat"]
    command += ["--scheduler", "celery.beat:Scheduler", "--pidfile", "", "-l", "WARNING"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment())
    try:
        yield
    finally:
        process.kill()
        process.wait()


def until(condition, seconds=550):
    """Wait for a state; ``seconds`` only say when it will never come, on a machine however busy.

    A look that is dear is taken seldom: what is waited for needs the processor itself.
    """
    deadline = time.monotonic() + seconds
    while True:
        began = time.thread_time()
        if condition():
            return
        cost = time.thread_time() - began
        assert time.monotonic() < deadline, "it did not come about: " + str(
            list(Match.objects.values_list("pk", "state", "attempt", "reason"))
        )
        time.sleep(max(0.1, 10 * cost))


def running(pid):
    """Whether the process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def descendants(pid):
    """The process ids below one, at this moment."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def states():
    """Of all matches, in order."""
    return sorted(Match.objects.values_list("state", flat=True))
