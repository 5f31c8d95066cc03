"""What a process bot writes.

Its answers, its noise, its stderr, all with bounded memory (protocol.md section 1).
"""

from __future__ import annotations

from typing import Final

from botapi import protocol

NOISE_LINES: Final = 200
"""Lines on stdout that do not start with ``{``; one more is a fault."""
STRAY_LINES: Final = 200
STRAY_BYTES: Final = 1024 * 1024
"""Answers in one turn of a bot to what was not asked; more are a fault."""
SKIPPED_BYTES: Final = 1024 * 1024
"""How much of an overlong line is thrown away before it counts as a fault again."""
NOTES: Final = 40
HEAD_BYTES: Final = 16 * 1024
TAIL_BYTES: Final = 48 * 1024
STDERR_KILL_BYTES: Final = 16 * 1024 * 1024


class LongLine(ValueError):  # noqa: N818 - what it is
    """A line that outgrew the limit; ``begin`` is as much of it as is kept."""

    def __init__(
        self, begin: bytes, words: str = f"a line of more than {protocol.REPLY_BYTES} bytes"
    ) -> None:
        super().__init__(words)
        self.begin = begin[: protocol.REPLY_BYTES]


class LineBuffer:
    """Splits a stream into lines of at most ``protocol.REPLY_BYTES`` without ever holding much more than that.

    A line costs its own length, however many others wait behind it.
    """

    def __init__(self) -> None:
        self._data = b""
        self._at = 0
        """Where the next line begins in ``_data``."""
        self._skipping = False
        self._skipped = 0

    def feed(self, chunk: bytes) -> None:
        """Add what was read."""
        self._data = self._data[self._at :] + chunk if self._at < len(self._data) else chunk
        self._at = 0

    def next_line(self) -> bytes | None:
        """The next whole line without its end, or None.

        LongLine when a line outgrows the limit (its rest is skipped).
        """
        while True:
            end = self._data.find(b"\n", self._at)
            if end < 0:
                self._unfinished()
                return None
            begin, self._at = self._at, end + 1
            if self._skipping:
                self._skipping = False
                continue
            if end - begin > protocol.REPLY_BYTES:
                raise LongLine(self._data[begin:end])
            return self._data[begin:end]

    def _unfinished(self) -> None:
        held = len(self._data) - self._at
        if self._skipping:
            self._skipped += held
            rest = self._forget()
            if self._skipped > SKIPPED_BYTES:
                self._skipped = 0
                raise LongLine(rest, "a line without end")
        elif held > protocol.REPLY_BYTES:
            self._skipping = True
            raise LongLine(self._forget())

    def _forget(self) -> bytes:
        held = self.start_of_line()
        self._data, self._at = b"", 0
        return held

    def drop(self) -> None:
        """Throw away what is held, and the rest of a line that has begun when it comes."""
        held = self._forget()
        self._skipping = self._skipping if not held else not held.endswith(b"\n")

    def start_of_line(self) -> bytes:
        """What is held of an unfinished line."""
        return self._data[self._at :]


class Stderr:
    """The first and the last of a bot's stderr; the rest is counted."""

    def __init__(self) -> None:
        self.total = 0
        self._head = bytearray()
        self._tail = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Add what was read."""
        self.total += len(chunk)
        room = HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._tail += chunk[-TAIL_BYTES:]
            del self._tail[:-TAIL_BYTES]

    @property
    def flooded(self) -> bool:
        """More was written than a bot may write."""
        return self.total > STDERR_KILL_BYTES

    def text(self) -> str:
        """What was kept, printable, with a line that says how much is missing."""
        missing = self.total - len(self._head) - len(self._tail)
        gap = f"\n[... {missing} bytes left out ...]\n" if missing else ""
        head, tail = (bytes(part).decode("utf-8", "replace") for part in (self._head, self._tail))
        return protocol.printable(head + gap + tail)


class Notes:
    """Lines for the author's private log, the first :data:`NOTES` of them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._dropped = 0

    def add(self, line: str) -> None:
        """Add a line, made printable and cut."""
        if len(self.lines) < NOTES:
            self.lines.append(protocol.printable(line[:300]))
        else:
            self._dropped += 1

    def all(self) -> list[str]:
        """The lines, and how many more there were."""
        return [*self.lines, f"and {self._dropped} more such lines"] if self._dropped else list(self.lines)
