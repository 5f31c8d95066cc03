"""What the match host has to say to its parent, written whenever the parent reads.

The event loop never waits for it: a worker that is busy with its database must not stop the clocks of bots.
What is not yet read is kept, and matches pause between two questions while that is more than :data:`BOUND`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
from collections import deque
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

BOUND: Final = 4 * 1024 * 1024
"""Bytes unread by the parent above which nothing more is asked of bots."""

_encode = msgspec.json.Encoder().encode


class Outbox:
    """Events on their way to ``descriptor``, one JSON line each; ``gone`` is called when nobody reads it."""

    def __init__(self, descriptor: int, gone: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._gone = gone
        self._lines: deque[bytes] = deque()
        self._unread = 0
        self._paused: list[Callable[[], None]] = []
        self._loop = asyncio.get_running_loop()
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(
            mode
        ):  # a terminal is shared, and a file never makes one wait
            os.set_blocking(descriptor, False)

    def emit(self, event: dict[str, Any]) -> None:
        """Say one thing, now or as soon as the parent reads."""
        idle = not self._lines
        line = _encode(event) + b"\n"
        self._lines.append(line)
        self._unread += len(line)
        if idle:
            self._write()
            if self._lines:
                self._loop.add_writer(self._descriptor, self._on_room)

    def pause(self, resume: Callable[[], None]) -> bool:
        """Whether to go on later: True while the parent is far behind, and then ``resume`` will be called."""
        if self._unread <= BOUND:
            return False
        self._paused.append(resume)
        return True

    def close(self) -> None:
        """Write the rest, waiting for the parent."""
        if self._lines:
            self._loop.remove_writer(self._descriptor)
        os.set_blocking(self._descriptor, True)
        self._write()

    def _on_room(self) -> None:
        self._write()
        if not self._lines:
            self._loop.remove_writer(self._descriptor)
        if self._unread <= BOUND:
            resumed, self._paused = self._paused, []
            for resume in resumed:
                self._loop.call_soon(resume)

    def _write(self) -> None:
        try:
            with contextlib.suppress(BlockingIOError):
                while self._lines:
                    line = self._lines[0]
                    written = os.write(self._descriptor, line)
                    self._unread -= written
                    if written == len(line):
                        self._lines.popleft()
                    else:
                        self._lines[0] = line[written:]
        except OSError:
            self._lines.clear()
            self._unread = 0
            self._gone()
