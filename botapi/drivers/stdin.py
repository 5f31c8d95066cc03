"""What is written to a bot on pipes: at once if it fits, else when the bot has read on."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from botapi.drivers.base import BotProcess

UNREAD_BYTES: Final = 4 * 1024 * 1024
"""Requests a bot has left unread before it counts as gone."""


class Stdin:
    """Writes to the stdin of ``proc``; ``broken`` is told once that is no use, with the reason if it is known."""

    def __init__(self, proc: BotProcess, broken: Callable[[str], None]) -> None:
        self._proc = proc
        self._broken = broken
        self._loop = asyncio.get_running_loop()
        self._waiting = b""
        self._ending = False

    def send(self, data: bytes) -> None:
        """Write ``data``, or as much as fits; the rest follows."""
        if self._waiting:
            self._waiting += data
            if len(self._waiting) > UNREAD_BYTES:
                self._broken("it left its requests unread")
            return
        try:
            sent = os.write(self._proc.stdin, data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._broken("")
            return
        if sent < len(data):
            self._waiting = data[sent:]
            self._loop.add_writer(self._proc.stdin, self._go_on)

    def end(self) -> None:
        """Nothing more comes: close stdin as soon as all is written."""
        self._ending = True
        if not self._waiting:
            self._close_stdin()

    def close(self) -> None:
        """Forget what is not written yet."""
        if self._waiting:
            self._loop.remove_writer(self._proc.stdin)
            self._waiting = b""

    def _go_on(self) -> None:
        try:
            sent = os.write(self._proc.stdin, self._waiting)
        except BlockingIOError:
            return
        except OSError:
            sent = len(self._waiting)
        self._waiting = self._waiting[sent:]
        if not self._waiting:
            self._loop.remove_writer(self._proc.stdin)
            if self._ending:
                self._close_stdin()

    def _close_stdin(self) -> None:
        if self._proc.stdin >= 0:
            os.close(self._proc.stdin)
            self._proc.stdin = -1
