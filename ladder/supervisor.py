"""A small process supervisor for the demo: starts programs in order, restarts what dies, ends all of them.

One thread: whoever owns it calls ``tend`` a few times a second. Ctrl-C, SIGTERM and SIGHUP are noted and
looked at between steps, so nothing is left half done.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from ladder.program import Program, ProgramError, adopt_orphans, spawn

PAUSE_S = 0.05
BACK_OFF_S = (0.5, 1.0, 2.0, 4.0, 8.0)
STEADY_S = 30.0
"""A program that has run this long starts its back-off anew when it dies."""


class Stopped(Exception):  # noqa: N818 - a request, not an error
    """Somebody asked us to stop while we were waiting for something."""


def _quiet(_line: str) -> None:
    """The supervisor of a test run says nothing."""


def how_it_ended(code: int) -> str:
    """An exit status in words."""
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"


@dataclass
class _Child:
    """A program under supervision; ``due`` is when a dead one is started again (monotonic seconds)."""

    program: Program
    process: subprocess.Popen[bytes]
    started: float
    deaths: int = 0
    due: float | None = None


class Supervisor:
    """The programs in the order they were added; ``say`` gets a short line a person should know."""

    def __init__(self, say: Callable[[str], None] = _quiet) -> None:
        self._say = say
        self._children: list[_Child] = []
        self._passing: set[int] = set()
        self._asked = 0

    @contextlib.contextmanager
    def in_charge(self) -> Iterator[Supervisor]:
        """Take the signals and orphans of this process; stop everything on the way out, whatever happens."""
        adopt_orphans()
        signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, self._note) for number in signals}
        try:
            yield self
        finally:
            self.stop()
            end_orphans()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._asked += 1

    @property
    def asked_to_stop(self) -> bool:
        """Whether a signal came."""
        return self._asked > 0

    def add(self, program: Program) -> None:
        """Start it and wait until it is ready; raises ProgramError with the end of its log, or Stopped."""
        child = _Child(program, spawn(program), time.monotonic())
        self._children.append(child)
        deadline = child.started + program.ready_seconds
        while not program.ready():
            code = child.process.poll()
            if code is not None or time.monotonic() > deadline:
                why = how_it_ended(code) if code is not None else f"not ready in {program.ready_seconds:g} s"
                raise ProgramError(f"{program.name} did not start ({why}):\n{program.log_tail()}")
            self.rest()

    def running(self) -> dict[str, int]:
        """The process ids of the programs that are there, by name."""
        return {
            child.program.name: child.process.pid for child in self._children if child.process.poll() is None
        }

    def end(self, name: str) -> None:
        """End the programs of this name for good."""
        leaving = [child for child in self._children if child.program.name == name]
        self._children = [child for child in self._children if child not in leaving]
        _end([(child.program, child.process) for child in leaving], hurry=lambda: self._asked > 0)

    def once(self, program: Program) -> int:
        """Run a program to its end while the others are tended; returns its exit status. Raises Stopped."""
        process = spawn(program)
        self._passing.add(process.pid)
        try:
            while process.poll() is None:
                self.tend()
                self.rest()
        finally:
            _end([(program, process)], hurry=lambda: True)
            self._passing.discard(process.pid)
        return process.returncode

    def rest(self) -> None:
        """Wait a moment; raises Stopped once a signal came."""
        if self._asked:
            raise Stopped
        time.sleep(PAUSE_S)

    def tend(self) -> None:
        """Look at everybody once: note the dead, start again those whose pause is over, reap orphans."""
        now = time.monotonic()
        for child in self._children:
            if child.due is not None and now >= child.due:
                child.process, child.started, child.due = spawn(child.program), now, None
            elif child.due is None and child.process.poll() is not None:
                self._mourn(child, now)
        _reap_orphans(self._passing | {child.process.pid for child in self._children})

    def _mourn(self, child: _Child, now: float) -> None:
        _kill_group(child.process.pid)
        if now - child.started > STEADY_S:
            child.deaths = 0
        pause = BACK_OFF_S[min(child.deaths, len(BACK_OFF_S) - 1)]
        child.deaths += 1
        child.due = now + pause
        ended = how_it_ended(child.process.returncode)
        self._say(f"{child.program.name} ended ({ended}); it starts again in {pause:g} s")

    def stop(self) -> None:
        """End everybody, the highest rank first; another Ctrl-C in the meantime shortens the graces."""
        asked = max(self._asked, 1)
        while self._children:
            rank = max(child.program.rank for child in self._children)
            leaving = [
                (child.program, child.process) for child in self._children if child.program.rank == rank
            ]
            self._children = [child for child in self._children if child.program.rank != rank]
            _end(leaving, hurry=lambda: self._asked > asked)


def _end(leaving: list[tuple[Program, subprocess.Popen[bytes]]], hurry: Callable[[], bool]) -> None:
    """Send each its stop signals in turn, with their graces, then kill what is left of the groups."""
    begun = time.monotonic()
    sent = dict.fromkeys((process.pid for _, process in leaving), 0)
    waiting = [one for one in leaving if one[1].poll() is None]
    while waiting and not hurry():
        for program, process in list(waiting):
            past = sum(grace for _, grace in program.stops[: sent[process.pid]])
            if process.poll() is not None or time.monotonic() - begun < past:
                continue
            if sent[process.pid] == len(program.stops):
                waiting.remove((program, process))
                continue
            process.send_signal(program.stops[sent[process.pid]][0])
            sent[process.pid] += 1
        waiting = [one for one in waiting if one[1].poll() is None]
        time.sleep(PAUSE_S)
    for _, process in leaving:
        _kill_group(process.pid)
        process.wait()


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _reap_orphans(known: set[int]) -> None:
    """Collect dead children that are nobody's: descendants whose own parent died (we are their subreaper)."""
    while True:
        try:
            dead = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if dead is None or dead.si_pid in known:
            return
        os.waitpid(dead.si_pid, os.WNOHANG)


def children_of(parent: int) -> list[int]:
    """The process ids whose parent is ``parent``, dead but unreaped ones included."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == parent:
                    found.append(int(entry.name))
    return found


def end_orphans(seconds: float = 5.0) -> None:
    """Kill and collect every child that is left, and theirs as they come up to us."""
    deadline = time.monotonic() + seconds
    while (left := children_of(os.getpid())) and time.monotonic() < deadline:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
