"""What a process bot writes.

Its answers, its noise, its stderr, all with bounded memory (protocol.md section 1).
"""

from __future__ import annotations

from typing import Final

from botapi import protocol

NOISE_LINES: Final = 200
"""Lines on stdout that do not start with ``{``; one more is a fault."""
SKIPPED_BYTES: Final = 1024 * 1024
"""How much of an overlong line is thrown away before it counts as a fault again."""
NOTES: Final = 40
HEAD_BYTES: Final = 16 * 1024
TAIL_BYTES: Final = 48 * 1024
STDERR_KILL_BYTES: Final = 16 * 1024 * 1024


class LineBuffer:
    """Splits a stream into lines of at most ``protocol.REPLY_BYTES`` without ever holding more than that."""

    def __init__(self) -> None:
        self._data = b""
        self._skipping = False
        self._skipped = 0

    def feed(self, chunk: bytes) -> None:
        """Add what was read."""
        self._data = self._data + chunk if self._data else chunk

    def next_line(self) -> bytes | None:
        """The next whole line without its end, or None.

        ValueError when a line outgrows the limit (its rest is skipped).
        """
        while True:
            head, found, rest = self._data.partition(b"\n")
            if not found:
                self._unfinished()
                return None
            self._data = rest
            if self._skipping:
                self._skipping = False
                continue
            if len(head) > protocol.REPLY_BYTES:
                raise ValueError(f"a line of more than {protocol.REPLY_BYTES} bytes")
            return head

    def _unfinished(self) -> None:
        if self._skipping:
            self._skipped += len(self._data)
            self._data = b""
            if self._skipped > SKIPPED_BYTES:
                self._skipped = 0
                raise ValueError("a line without end")
        elif len(self._data) > protocol.REPLY_BYTES:
            self._data = b""
            self._skipping = True
            raise ValueError(f"a line of more than {protocol.REPLY_BYTES} bytes")

    def start_of_line(self) -> bytes:
        """What is held of an unfinished line."""
        return self._data


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
