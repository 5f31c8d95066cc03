"""What a dispatcher does for people at its tables: carries answers, absences and pace from their rows to the host."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from django.db import InterfaceError, OperationalError, connection

from games import journal
from games.host_process import HostLost, HostProcess
from games.journal import Desk

LOOK_S: Final = 0.15
"""How often answers are looked for: what a person waits at most."""
BLIND_S: Final = 2.0
"""Who was not looked after for longer, because PostgreSQL or this process was held up, gets the time back."""

Key = tuple[int, int]
"""A match and its attempt."""


@dataclass(slots=True)
class _Told:
    """What the host of a table knows: who is away, the pace, and which question it has open by seat."""

    host: HostProcess
    away: set[int]
    pace: dict[str, int]
    asked: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Looked:
    """``gone``: tables that are no longer this worker's. ``blind_s``: so long nobody was looked after, else 0."""

    gone: Sequence[Key] = ()
    blind_s: float = 0.0


class Attending:
    """The tables with people of one dispatcher."""

    def __init__(self) -> None:
        self._tables: dict[Key, _Told] = {}
        self._looked = time.monotonic()

    def __bool__(self) -> bool:
        return bool(self._tables)

    def begin(self, key: Key, host: HostProcess, job: dict[str, Any]) -> None:
        """The host has been handed ``job``, a table with people."""
        if not self._tables:
            self._looked = time.monotonic()
        self._tables[key] = _Told(host, set(job["away"]), dict(job["pace"]))

    def end(self, key: Key) -> None:
        """The table is over, or no longer this worker's."""
        self._tables.pop(key, None)

    def asked(self, key: Key, seat: int, question: int) -> None:
        """The host has a question open, and its row is there."""
        if key in self._tables:
            self._tables[key].asked[seat] = question

    @property
    def tables(self) -> list[Key]:
        """The tables with people."""
        return list(self._tables)

    def look(self) -> Looked:
        """One look at all tables, when it is time for it; PostgreSQL that is away is tried again with the next."""
        now = time.monotonic()
        if not self._tables or now - self._looked < LOOK_S:
            return Looked()
        try:
            desks = journal.desks({match for match, _ in self._tables})
            blind_s = now - self._looked if now - self._looked > BLIND_S else 0.0
            self._looked = time.monotonic()
            playing = {(desk.match, desk.attempt) for desk in desks}
            for key, found in groupby(sorted(desks, key=_key), key=_key):
                if key in self._tables:
                    self._attend(key, list(found))
        except (OperationalError, InterfaceError):
            connection.close()
            return Looked()
        return Looked([key for key in self._tables if key not in playing], blind_s)

    def _attend(self, key: Key, desks: Sequence[Desk]) -> None:
        told = self._tables[key]
        pace = journal.pace(desks)
        if pace != told.pace:
            told.pace = pace
            self.send(key, {"type": "pace", **pace})
        for desk in desks:
            self._attend_seat(key, told, desk)

    def _attend_seat(self, key: Key, told: _Told, desk: Desk) -> None:
        if told.asked.get(desk.seat) == desk.question and desk.answer:
            del told.asked[desk.seat]
            self.send(key, {"type": "answer", "seat": desk.seat, "action": desk.answer})
            return
        away = desk.away or desk.unseen
        if desk.unseen and not desk.away:
            journal.mark_away(desk.match, desk.seat)
        if away != (desk.seat in told.away):
            told.away ^= {desk.seat}
            self.send(key, {"type": "away", "seat": desk.seat, "away": away})

    def late(self, key: Key, seat: int) -> None:
        """The time of this seat's person ran out: the host plays for them by itself."""
        if key in self._tables:
            self._tables[key].away.add(seat)

    def send(self, key: Key, message: dict[str, Any]) -> None:
        """Tell a table's host. One that is gone is found out by who listens to it."""
        match, attempt = key
        with contextlib.suppress(HostLost):
            self._tables[key].host.send({**message, "match": str(match), "attempt": attempt})


def _key(desk: Desk) -> Key:
    return desk.match, desk.attempt
