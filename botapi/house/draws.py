"""A house bot's randomness, which nobody else sees (protocol.md section 5).

Its key is HMAC-SHA256(seed, "thousand/1 bot {seat}").

Every decision has a stream of its own, so that a journal can be replayed by counting decisions.
"""

from __future__ import annotations

import hashlib
import hmac


class Draws:
    """Random numbers of one seat in one match."""

    __slots__ = ("_block", "_bytes", "_decision", "_key")

    def __init__(self, seed: bytes, seat: int) -> None:
        self._key = hmac.digest(seed, f"thousand/1 bot {seat}".encode(), "sha256")
        self._decision = 0
        self._block = 0
        self._bytes = b""

    def next_decision(self) -> None:
        """Begin the next decision's stream."""
        self._decision += 1
        self._block = 0
        self._bytes = b""

    def below(self, n: int) -> int:
        """An integer from 0 to n - 1, each as likely (1 <= n <= 65536)."""
        limit = 65536 - 65536 % n
        while True:
            value = self._next16()
            if value < limit:
                return value % n

    def _next16(self) -> int:
        if len(self._bytes) < 2:
            message = self._key + f" {self._decision} {self._block}".encode()
            self._bytes = hashlib.sha256(message).digest()
            self._block += 1
        value = int.from_bytes(self._bytes[:2], "big")
        self._bytes = self._bytes[2:]
        return value
