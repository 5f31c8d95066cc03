"""The time of a process's turns, in nanoseconds (sandbox.md 8).

The wall's time without what the machine or the host is to blame for, at least what the bot computed; and what it
computed between its turns on top.
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from botapi.drivers.base import Answer, BotProcess
    from botapi.drivers.lag import LagMeter, Stopwatch

STOLEN_NS: Final = 250_000_000
"""Processor time between its turns of which a match's log tells."""

_monotonic_ns = time.monotonic_ns


class TurnClock:
    """The clock of one process. ``lag`` is the meter of the host's stalls, ``began_ns`` when the turn began."""

    def __init__(self, proc: BotProcess, lag: LagMeter) -> None:
        self.began_ns = 0
        self._proc = proc
        self._lag = lag
        self._watch: Stopwatch | None = None
        self._cpu_ns = self._delay_ns = 0
        self._stolen_ns = self._stolen_in_all_ns = 0

    def begin(self) -> None:
        """A turn begins now."""
        self.began_ns = _monotonic_ns()

    def leave_to_loop(self) -> None:
        """The answer is awaited by the event loop from now on, whose stalls do not count."""
        self._watch = self._lag.start()

    def leave(self) -> None:
        """Nothing is awaited any more."""
        if self._watch is not None:
            self._watch.stop()
            self._watch = None

    def own_work(self) -> contextlib.AbstractContextManager[None]:
        """The host's work with what this bot wrote is on this bot's clock."""
        return self._watch.own_work() if self._watch is not None else contextlib.nullcontext()

    def charge_stolen(self) -> bool:
        """What it computed between its turns counts as this one's time; whether it is now enough to be told."""
        cpu_ns, delay_ns = self._proc.used_ns()
        self._stolen_ns = max(0, cpu_ns - self._cpu_ns)
        self._cpu_ns, self._delay_ns = cpu_ns, delay_ns
        before, self._stolen_in_all_ns = self._stolen_in_all_ns, self._stolen_in_all_ns + self._stolen_ns
        return before <= STOLEN_NS < self._stolen_in_all_ns

    def spent_ns(self) -> tuple[int, int]:
        """On the wall and on the bot's own clock since the turn began."""
        wall_ns = _monotonic_ns() - self.began_ns
        cpu_ns, delay_ns = self._proc.used_ns()
        delay_ns += self._stalled_ns() - self._delay_ns
        return wall_ns, max(wall_ns - delay_ns, cpu_ns - self._cpu_ns) + self._stolen_ns

    def end(self, answer: Answer, now_ns: int) -> None:
        """The turn ended at ``now_ns``: write its times into ``answer``."""
        cpu_ns, delay_ns = self._proc.used_ns()
        cpu, delay = cpu_ns - self._cpu_ns, delay_ns - self._delay_ns
        self._cpu_ns, self._delay_ns = cpu_ns, delay_ns
        wall = now_ns - self.began_ns
        delay += self._stalled_ns()
        answer.wall_ms, answer.cpu_ms, answer.delay_ms = wall / 1e6, cpu / 1e6, delay / 1e6
        answer.used_ms = (max(wall - delay, cpu, 0) + self._stolen_ns) / 1e6

    def _stalled_ns(self) -> int:
        return int(self._watch.read_ms()[1] * 1e6) if self._watch is not None else 0
