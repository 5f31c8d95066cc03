"""How long the server works: processor time of this process and of its database's, and the time calls take.

Processor time says what a quiet core needs, also on a machine that is busy with other things; the time by the clock is
measured beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connection


@dataclass(slots=True)
class Spent:
    """Milliseconds: of the clock, of the clock within database calls, of this processor and of the database's."""

    clock: float = 0.0
    calls: float = 0.0
    own: float = 0.0
    database: float = 0.0
    queries: int = 0

    @property
    def server(self) -> float:
        """What both worked."""
        return self.own + self.database


@contextmanager
def measured() -> Iterator[Spent]:
    """Measure what is done in a ``with``, with the default connection, which stays open."""
    connection.ensure_connection()
    schedule = Path(f"/proc/{_backend()}/schedstat")
    spent = Spent()

    def call(execute: Callable[..., Any], *arguments: Any) -> Any:
        began = time.perf_counter()
        try:
            return execute(*arguments)
        finally:
            spent.calls += (time.perf_counter() - began) * 1e3
            spent.queries += 1

    database, own, clock = _worked(schedule), time.process_time_ns(), time.perf_counter()
    with connection.execute_wrapper(call):
        yield spent
    spent.clock = (time.perf_counter() - clock) * 1e3
    spent.own = (time.process_time_ns() - own) / 1e6
    spent.database = (_worked(schedule) - database) / 1e6


def share(values: list[float], part: float) -> float:
    """The value below which ``part`` of ``values`` lie."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def _backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        pid: int = cursor.fetchone()[0]
    return pid


def _worked(schedule: Path) -> int:
    """Nanoseconds a process was on a processor."""
    return int(schedule.read_text().split()[0])
