"""The shuffle and the cut, from a secret seed by HMAC-SHA256 (rules.md section 9)."""

from __future__ import annotations

from collections.abc import Iterator
from hmac import digest
from typing import Final

SKIP: Final = 255


def _places(i: int) -> bytes:
    """For place ``i`` of the pack: what each byte swaps it with, SKIP for one that would favour some places."""
    fair = 256 - 256 % (i + 1)
    return bytes(byte % (i + 1) if byte < fair else SKIP for byte in range(256))


PLACES: Final = tuple((i, _places(i)) for i in range(23, 0, -1))


def shuffled(seed: bytes, finished: int, redeals: int) -> list[int]:
    """The deck of deal ``{finished}.{redeals}``: 24 card numbers in dealing order."""
    label = f"thousand/1 deal {finished}.{redeals} block "
    stream = digest(seed, f"{label}0".encode(), "sha256")
    block = position = 0
    pack = list(range(24))
    for i, places in PLACES:
        j = SKIP
        while j == SKIP:
            if position == 32:
                block, position = block + 1, 0
                stream = digest(seed, f"{label}{block}".encode(), "sha256")
            j = places[stream[position]]
            position += 1
        card = pack[i]
        pack[i] = pack[j]
        pack[j] = card
    return pack


def _bytes(seed: bytes, label: str) -> Iterator[int]:
    """The byte stream of a label, block after block."""
    block = 0
    while True:
        yield from digest(seed, f"{label} block {block}".encode(), "sha256")
        block += 1


def cut_cards(seed: bytes, finished: int, redeals: int) -> list[int]:
    """The cards shown at the cut ritual of a deal, the last of them the one that ended it (rules.md 4.1).

    A nine repeats the cut, the third in a row ends it; the first jack repeats it and breaks the row.
    """
    shown: list[int] = []
    nines = jacks = 0
    stream = _bytes(seed, f"thousand/1 cut {finished}.{redeals}")
    while nines < 3:
        byte = next(stream)
        if byte >= 240:
            continue
        card = byte % 24
        shown.append(card)
        if card % 6 == 0:
            nines += 1
        elif card % 6 == 1 and not jacks:
            jacks, nines = 1, 0
        else:
            break
    return shown


def cut_costs(shown: list[int]) -> bool:
    """Whether the cut ended with the third nine in a row."""
    return len(shown) >= 3 and all(card % 6 == 0 for card in shown[-3:])
