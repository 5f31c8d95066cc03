"""Faults on purpose, for a demo that must survive them: ``./run demo --chaos SEED --minutes N``.

What is killed and after which pause follows from the seed; which processes are there at that moment does not.
Everything dies by SIGKILL, so nobody can prepare for it.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ladder.supervisor import children_of

PAUSE_S: Final = (3.0, 9.0)
"""Between two kills: long enough for the service to do something, too short for it to recover at leisure."""
HOST: Final = "host"
VICTIMS: Final = {"worker-cpu": 3, "worker-waiting": 2, "worker-default": 1, HOST: 4, "Redis": 2}
"""Programs of the demo (and match hosts, wherever they run) by how often they are chosen."""


@dataclass(frozen=True, slots=True)
class Kill:
    """One fault: seconds after the one before, whom, and which of several there are (from 0 up to 1)."""

    pause: float
    victim: str
    which: float


def kills(seed: int) -> Iterator[Kill]:
    """The faults of a seed, without end."""
    draw = random.Random(seed)  # noqa: S311 - repeatable, no secret
    names, weights = list(VICTIMS), list(VICTIMS.values())
    while True:
        yield Kill(draw.uniform(*PAUSE_S), draw.choices(names, weights)[0], draw.random())


class Chaos:
    """Kills as time goes by. ``programs`` gives the supervised ones' process ids by name, ``now`` seconds."""

    def __init__(
        self, seed: int, programs: Callable[[], Mapping[str, int]], now: Callable[[], float]
    ) -> None:
        self._kills = kills(seed)
        self._programs = programs
        self._now = now
        self._next = next(self._kills)
        self._due = now() + self._next.pause
        self.done: Counter[str] = Counter()
        """How many of each were killed."""

    def tend(self) -> str:
        """Kill whoever is due; who that was, empty when nobody."""
        if self._now() < self._due:
            return ""
        kill, self._next = self._next, next(self._kills)
        self._due = self._now() + self._next.pause
        there = hosts(self._programs()) if kill.victim == HOST else self._pids(kill.victim)
        if not there:
            return ""
        with contextlib.suppress(ProcessLookupError):
            os.kill(there[int(kill.which * len(there))], signal.SIGKILL)
            self.done[kill.victim] += 1
            return kill.victim
        return ""

    def _pids(self, name: str) -> list[int]:
        return [pid for program, pid in self._programs().items() if program == name]


def hosts(programs: Mapping[str, int]) -> list[int]:
    """The process ids of the match hosts that the workers have started."""
    found = []
    for name, pid in sorted(programs.items()):
        if name.startswith("worker-"):
            found += [one for one in _family(pid) if b"games.host" in _command(one)]
    return found


def _family(pid: int) -> list[int]:
    found = children_of(pid)
    for child in list(found):
        found += _family(child)
    return found


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path("/proc", str(pid), "cmdline").read_bytes()
    return b""
