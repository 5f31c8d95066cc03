"""How long the host's event loop could attend to nothing: a stall of ours is never a bot's time.

The sandbox's meters are the kernel's. Of an endpoint there is only the wall clock, read when the loop gets to
the answer; whatever kept the loop away (a starved machine, a collection of garbage, a long step of another
match) would be charged to the bot. So while calls are open a tick is due every few milliseconds, and what it
is late is taken off (protocol.md section 5). A stall that is the work with a bot's own output is that bot's time:
a flood of it must not stop its clock.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

TICK_S: Final = 0.005
STEADY_S: Final = 0.005
"""So much of each tick's lateness is not counted: with :data:`TICK_S` it is the grace of every limit."""

_now = time.monotonic


class LagMeter:
    """Adds up the stalls of the running loop while at least one :class:`Stopwatch` is running."""

    def __init__(self) -> None:
        self._stalled_s = 0.0
        self._due = 0.0
        self._running = 0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> Stopwatch:
        """Begin to time one call."""
        if self._running == 0 and self._timer is None:
            self._arm(_now())
        self._running += 1
        return Stopwatch(self)

    def stopped(self) -> None:
        """One stopwatch less."""
        self._running -= 1

    def stalled_s(self, now: float) -> float:
        """Seconds of stalls up to ``now``; a stall that is going on counts as far as it has come."""
        return self._stalled_s + max(0.0, now - self._due - STEADY_S)

    def _arm(self, now: float) -> None:
        self._due = now + TICK_S
        self._timer = asyncio.get_running_loop().call_at(self._due, self._tick)

    def _tick(self) -> None:
        now = _now()
        self._stalled_s = self.stalled_s(now)
        self._timer = None
        if self._running:
            self._arm(now)


class Stopwatch:
    """The time of one call: on the wall, and without the stalls that fell into it."""

    __slots__ = ("_began", "_meter", "_not_counted_s", "_own_since_s")

    def __init__(self, meter: LagMeter) -> None:
        self._meter = meter
        self._began = _now()
        self._not_counted_s = meter.stalled_s(self._began)
        """Stalls before it began, and those that were its own."""
        self._own_since_s: float | None = None

    @contextmanager
    def own_work(self) -> Iterator[None]:
        """What the loop is stalled within this block is the called one's doing, and no stall to it."""
        since_s = self._own_since_s = self._meter.stalled_s(_now())
        try:
            yield
        finally:
            self._own_since_s = None
            self._not_counted_s += self._meter.stalled_s(_now()) - since_s

    def read_ms(self) -> tuple[float, float]:
        """Milliseconds on the wall so far, and how many of them the loop was stalled by others."""
        now = _now()
        wall = now - self._began
        stalled_s = self._own_since_s if self._own_since_s is not None else self._meter.stalled_s(now)
        stalled = min(wall, stalled_s - self._not_counted_s)
        return wall * 1000, stalled * 1000

    def stop(self) -> None:
        """The call is over."""
        self._meter.stopped()
