"""The whole demo as a newcomer and as a hostile operator meets it: started, killed piece by piece, killed whole."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from ladder.embedded import free_port, temporary_home
from ladder.supervisor import children_of
from tests.test_embedded import gone

CHECKOUT = Path(__file__).parent.parent
READY = "Ctrl-C stops everything"
PIECES = ["--queues cpu", "--queues waiting", "valkey-server", "bin/postgres", "uvicorn", " beat "]

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def state() -> Iterator[Path]:
    with temporary_home() as home:
        yield home


@contextlib.contextmanager
def demo(state: Path, *arguments: str, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """A demo with its data in ``state`` and these ``settings``, whose console is read by the test."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    process = subprocess.Popen(
        [sys.executable, "-m", "ladder.demo", "--port", str(free_port()), *arguments],
        cwd=CHECKOUT,
        env={**environment, "THOUSAND_STATE": str(state), "MATCH_LEASE_S": "10", **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def console(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdout
    return process.stdout


def said_until(process: subprocess.Popen[str], words: str) -> str:
    """What stands on the console up to a line with these words."""
    said = ""
    for line in console(process):
        said += line
        if words in line:
            return said
    pytest.fail(f"the demo ended without {words!r}:\n{said}")


def family(pid: int) -> list[int]:
    """All descendants."""
    found = children_of(pid)
    for child in list(found):
        found += family(child)
    return found


def command_of(pid: int) -> str:
    """Its command line, empty if it has ended meanwhile."""
    with contextlib.suppress(OSError):
        return Path("/proc", str(pid), "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def piece(demo_pid: int, mark: str) -> int | None:
    """The demo's child with ``mark`` in its command line."""
    return next((pid for pid in children_of(demo_pid) if mark in command_of(pid)), None)


def test_killed_pieces_come_back_and_every_match_is_rated_without_a_fault(state: Path) -> None:
    with demo(state, "--until-rated", "25", "--timeout", "500") as process:
        said_until(process, READY)
        for mark in PIECES:
            killed = piece(process.pid, mark)
            assert killed, mark
            os.kill(killed, signal.SIGKILL)
            said_until(process, "(killed by SIGKILL); it starts again")
            while piece(process.pid, mark) in (None, killed):
                time.sleep(0.05)
        everybody = family(process.pid)
        said = console(process).read()
        assert process.wait(60) == 0, said
    assert re.fullmatch(r"2\d matches rated, \d{3,} deals, [\d.]+ s, 0 faults", said.splitlines()[-1]), said
    assert all(gone(pid) for pid in everybody)


def test_a_kill_of_the_demo_itself_leaves_no_process_and_the_next_one_goes_on_with_the_data_alone(
    state: Path,
) -> None:
    with demo(state) as first:
        operator = re.search(r"operator / (\S+)", said_until(first, READY))
        while not any("games.host" in command_of(pid) for pid in family(first.pid)):
            time.sleep(0.05)
        everybody = family(first.pid)
        assert len(everybody) > 8
        first.kill()
    assert [pid for pid in everybody if not gone(pid, 15)] == []
    with demo(state) as second:
        said_until(second, "Starting")
        with demo(state) as third:
            said = console(third).read()
            assert said == "demo: another demo or manage command of this checkout is running.\n"
            assert third.wait() == 1
        again = re.search(r"operator / (\S+)", said_until(second, READY))
        assert operator
        assert again
        assert operator[1] == again[1]
        everybody = family(second.pid)
        second.send_signal(signal.SIGINT)
        assert console(second).read() == "Stopping ...\n"
        assert second.wait(60) == 0
    assert [pid for pid in everybody if not gone(pid)] == []


def test_too_few_matches_in_time_are_exit_status_1_with_the_reason(state: Path) -> None:
    with demo(state, "--until-rated", "100000", "--timeout", "1") as process:
        said = console(process).read()
        assert process.wait() == 1
    assert re.search(r"only \d+ of 100000 matches were rated in \d+ s; matches: \w+", said)
