"""Chance from a tournament's public lot: the same lot and purpose always give the same."""

from __future__ import annotations

import hashlib
import hmac
import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lot:
    """The lot of a tournament: 32 bytes, published when it starts."""

    seed: bytes

    def number(self, purpose: str) -> int:
        """A number of 64 bits for this purpose."""
        return int.from_bytes(self._digest(purpose)[:8], "big")

    def order(self, things: Iterable[T], purpose: str) -> list[T]:
        """The things in an order drawn for this purpose; each is known by its ``str``."""
        return sorted(things, key=lambda thing: self.number(f"{purpose} {thing}"))

    def generator(self, purpose: str) -> random.Random:
        """A stream for searches; only its ``random()`` is the same on every version of Python."""
        return random.Random(self._digest(purpose))  # noqa: S311 - it is public and must be repeatable

    def _digest(self, purpose: str) -> bytes:
        return hmac.digest(self.seed, f"thousand/1 tournament {purpose}".encode(), hashlib.sha256)


def published_lot(secret: bytes) -> Lot:
    """The lot that follows from a series' secret: fixed when the secret was committed, tells no card."""
    return Lot(hmac.digest(secret, b"lot", hashlib.sha256))
