"""The shuffle and the cut, from a secret seed by HMAC-SHA256 (rules.md section 9)."""

from __future__ import annotations

from hmac import digest
from typing import Final

LIMITS: Final[tuple[int, ...]] = tuple(256 - 256 % (i + 1) for i in range(24))
"""Bytes below ``LIMITS[i]`` are taken for place ``i``, so that every place is equally likely."""


def shuffled(seed: bytes, finished: int, redeals: int) -> list[int]:
    """The deck of deal ``{finished}.{redeals}``: 24 card numbers in dealing order."""
    label = f"thousand/1 deal {finished}.{redeals} block "
    stream = digest(seed, (label + "0").encode(), "sha256")
    block, position = 0, 0
    pack = list(range(24))
    for i in range(23, 0, -1):
        while True:
            if position == 32:
                block, position = block + 1, 0
                stream = digest(seed, f"{label}{block}".encode(), "sha256")
            byte = stream[position]
            position += 1
            if byte < LIMITS[i]:
                break
        j = byte % (i + 1)
        pack[i], pack[j] = pack[j], pack[i]
    return pack


def cut_cards(seed: bytes, finished: int, redeals: int) -> list[int]:
    """The cards shown at the cut ritual of a deal, the last of them the one that ended it (rules.md 4.1).

    A nine repeats the cut, the third in a row ends it; the first jack repeats it and breaks the row.
    """
    shown: list[int] = []
    nines, jacks, block = 0, 0, 0
    while True:
        stream = digest(seed, f"thousand/1 cut {finished}.{redeals} block {block}".encode(), "sha256")
        block += 1
        for byte in stream:
            if byte >= 240:
                continue
            card = byte % 24
            shown.append(card)
            rank = card % 6
            if rank == 0:
                nines += 1
                if nines == 3:
                    return shown
            elif rank == 1 and not jacks:
                jacks, nines = 1, 0
            else:
                return shown


def cut_costs(shown: list[int]) -> bool:
    """Whether the cut ended with the third nine in a row."""
    return len(shown) >= 3 and all(card % 6 == 0 for card in shown[-3:])
