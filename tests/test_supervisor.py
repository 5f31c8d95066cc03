"""The demo's supervisor with real processes: order, restarts, endings."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ladder.program import Program, ProgramError
from ladder.supervisor import Supervisor, children_of
from tests.test_embedded import gone

SLEEP = "import time; time.sleep(60)"
STUBBORN = "import signal, time\nfor n in (2, 15): signal.signal(n, signal.SIG_IGN)\nprint('up', flush=True)\ntime.sleep(60)"
# The middle one starts a grandchild in a session of its own and says its process id.
FAMILY = (
    "import subprocess, sys, time\n"
    "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True).pid, flush=True)\n"
    "time.sleep(60)"
)
HEAD = """
import sys, time
from pathlib import Path
from ladder.program import Program
from ladder.supervisor import Supervisor, Stopped
log = Path(sys.argv[1])
with Supervisor().in_charge() as supervisor:
    supervisor.add(Program("family", (sys.executable, "-c", sys.argv[2]), log, ready=lambda: bool(log.read_text())))
    print("ready", flush=True)
    while not supervisor.asked_to_stop:
        supervisor.tend()
        time.sleep(0.02)
"""


def python(name: str, code: str, folder: Path, **more: object) -> Program:
    return Program(name, (sys.executable, "-c", code), folder / f"{name}.log", **more)  # type: ignore[arg-type]


def pids(supervisor: Supervisor) -> list[int]:
    return [child.process.pid for child in supervisor._children]


def tend_until(supervisor: Supervisor, condition: object, seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        if time.monotonic() > deadline:
            return False
        supervisor.tend()
        time.sleep(0.02)
    return True


def test_a_program_that_dies_is_started_again_and_again_with_growing_pauses(tmp_path: Path) -> None:
    said: list[str] = []
    supervisor = Supervisor(said.append)
    supervisor.add(python("weak", "raise SystemExit(3)", tmp_path))
    assert tend_until(supervisor, lambda: len(said) == 3)
    supervisor.stop()
    assert said == [
        f"weak ended (exit status 3); it starts again in {pause} s" for pause in ("0.5", "1", "2")
    ]


def test_a_killed_program_has_a_successor(tmp_path: Path) -> None:
    supervisor = Supervisor()
    supervisor.add(python("sleeper", SLEEP, tmp_path))
    (first,) = pids(supervisor)
    os.kill(first, signal.SIGKILL)
    assert tend_until(supervisor, lambda: pids(supervisor) != [first])
    (second,) = pids(supervisor)
    supervisor.stop()
    assert gone(second)


def test_a_program_that_cannot_start_is_an_error_with_its_last_words(tmp_path: Path) -> None:
    supervisor = Supervisor()
    program = python("broken", "raise SystemExit('no such luck')", tmp_path, ready=lambda: False)
    with pytest.raises(ProgramError, match=re.escape("broken did not start (exit status 1):\nno such luck")):
        supervisor.add(program)
    supervisor.stop()


def test_one_that_does_not_listen_to_its_stop_signals_is_killed(tmp_path: Path) -> None:
    supervisor, log = Supervisor(), tmp_path / "deaf.log"
    stops = ((signal.SIGINT, 0.2), (signal.SIGTERM, 0.2))
    supervisor.add(python("deaf", STUBBORN, tmp_path, stops=stops, ready=lambda: "up" in log.read_text()))
    (pid,) = pids(supervisor)
    supervisor.stop()
    assert gone(pid)


def test_those_of_the_higher_rank_stop_before_the_others_are_asked(tmp_path: Path) -> None:
    order = tmp_path / "order"
    note = "import signal, sys, time\ndef bye(*_):\n    time.sleep({}); open({!r}, 'a').write('{} '); sys.exit()\nsignal.signal(15, bye)\nprint('up', flush=True)\ntime.sleep(60)"
    supervisor = Supervisor()
    for name, rank, pause in (("server", 0, 0), ("worker", 1, 0.3), ("web", 1, 0)):
        log = tmp_path / f"{name}.log"
        code = note.format(pause, str(order), name)
        supervisor.add(python(name, code, tmp_path, rank=rank, ready=lambda log=log: "up" in log.read_text()))
    supervisor.stop()
    assert order.read_text() == "web worker server "


def test_a_task_runs_to_its_end_while_the_others_are_tended(tmp_path: Path) -> None:
    supervisor = Supervisor()
    supervisor.add(python("sleeper", SLEEP, tmp_path))
    (first,) = pids(supervisor)
    task = f"import os, time; os.kill({first}, 9); time.sleep(1); raise SystemExit(5)"
    assert supervisor.once(python("task", task, tmp_path)) == 5
    assert pids(supervisor) != [first]
    supervisor.stop()


def test_a_program_gets_its_own_environment_and_nothing_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOMETHING_PRIVATE", "x")
    supervisor = Supervisor()
    program = python("look", "import os; print(sorted(os.environ))", tmp_path, environment={"GIVEN": "1"})
    supervisor.once(program)
    assert program.log_tail() in {"['GIVEN', 'LANG', 'PATH']", "['GIVEN', 'LANG', 'LC_CTYPE', 'PATH']"}


@pytest.fixture
def head(tmp_path: Path) -> tuple[subprocess.Popen[str], list[int]]:
    """A supervisor in a process of its own, with the ids of its child and of the grandchild."""
    log = tmp_path / "family.log"
    process = subprocess.Popen(
        [sys.executable, "-c", HEAD, str(log), FAMILY], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process, [*children_of(process.pid), int(log.read_text())]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_whole_family_grandchildren_in_their_own_sessions_too(
    head: tuple[subprocess.Popen[str], list[int]], number: int
) -> None:
    process, family = head
    process.send_signal(number)
    assert process.wait(15) == 0
    assert all(gone(pid) for pid in family)


def test_a_child_whose_supervisor_is_killed_dies_with_it(
    head: tuple[subprocess.Popen[str], list[int]],
) -> None:
    process, (child, grandchild) = head
    process.kill()
    process.wait()
    assert gone(child)
    os.kill(grandchild, signal.SIGKILL)  # its own parent's business: a worker's pool follows its worker


def test_an_orphan_is_collected_while_its_supervisor_lives(
    head: tuple[subprocess.Popen[str], list[int]],
) -> None:
    process, (child, grandchild) = head
    os.kill(child, signal.SIGKILL)
    deadline = time.monotonic() + 5
    while grandchild not in children_of(process.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(grandchild, signal.SIGKILL)
    assert gone(grandchild)
    process.terminate()
    assert process.wait(15) == 0
