"""Where a command keeps what it needs for a while: unpacked bots and the sandbox's runtime.

A workshop is locked by its process for as long as that lives, so that one whose process was killed is known by
its free lock, and is cleared away by the next command.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from botapi.archive import remove

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX: Final = "thousand-local-"
LOCK: Final = "lock"


@contextlib.contextmanager
def workshop() -> Iterator[Path]:
    """A directory of its own, gone afterwards."""
    _sweep(Path(tempfile.gettempdir()))
    fresh = Path(tempfile.mkdtemp(prefix=f".{PREFIX}"))
    lock = os.open(fresh / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    fresh.chmod(0o711)
    root = fresh.rename(
        fresh.with_name(fresh.name.removeprefix("."))
    )  # found by others only when it is locked
    try:
        yield root
    finally:
        _clear(root)
        os.close(lock)


def _sweep(place: Path) -> None:
    """Clear away the workshops of this user in which nobody works any more."""
    for root in place.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if root.is_symlink() or root.stat().st_uid != os.geteuid():
                continue
            lock = os.open(root / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _clear(root)
            finally:
                os.close(lock)


def _clear(root: Path) -> None:
    with contextlib.suppress(OSError):  # what is another user's, say: it is left to the machine
        remove(root)
