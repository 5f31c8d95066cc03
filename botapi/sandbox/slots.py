"""User ids for the sandboxes of hosts that are root: one for each sandbox, on the whole machine (sandbox.md 1)."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pwd
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

UID_BASE: Final = 58_000
UIDS: Final = 1000
"""Below 65536, so that they exist in a container's map too."""


class Slots:
    """Ids that this process has taken, and those it may take.

    Two sandboxes of one user would share its count of processes. So an id is held by a lock on a file of its own
    in ``place``, which all hosts of the machine have in common; the kernel frees what a killed host held.
    """

    def __init__(self, place: Path, *, first: int = UID_BASE, count: int = UIDS) -> None:
        self._place, self._first, self._count = place, first, count
        self._held: dict[int, int] = {}
        self._next = os.getpid() * 7 % count

    @property
    def taken(self) -> frozenset[int]:
        """What this process holds."""
        return frozenset(self._held)

    def take(self) -> int:
        """An id that nobody has. OSError when all are taken."""
        self._place.mkdir(mode=0o700, exist_ok=True)
        for _ in range(self._count):
            uid = self._first + self._next
            self._next = (self._next + 1) % self._count
            if uid in self._held or _somebody(uid):
                continue
            lock = os.open(self._place / str(uid), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                continue
            self._held[uid] = lock
            return uid
        raise OSError("all user ids for sandboxes are taken")

    def free(self, uid: int) -> None:
        """The sandbox of ``uid`` has ended."""
        lock = self._held.pop(uid, -1)
        if lock >= 0:
            os.close(lock)


def _somebody(uid: int) -> bool:
    with contextlib.suppress(KeyError):
        pwd.getpwuid(uid)
        return True
    return False
