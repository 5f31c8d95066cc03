"""Every action of the game as one interned text, and the tables from cards to actions and back."""

from __future__ import annotations

from functools import lru_cache
from sys import intern
from typing import Final

from engine.cards import TEXT, halves

REDEAL: Final = "redeal"
KEEP: Final = "keep"
DARK: Final = "dark"
LOOK: Final = "look"
PASS: Final = "pass"  # noqa: S105 - a bid, no secret
CONCEDE: Final = "concede"
CLAIM: Final = "claim"
CLAIM_TUPLE: Final = (CLAIM,)
CONCEDE_TUPLE: Final = (CONCEDE,)
REDEAL_TUPLE: Final = (REDEAL,)

PLAY: Final[tuple[str, ...]] = tuple(intern("play:" + text) for text in TEXT)
MELD: Final[tuple[str, ...]] = tuple(intern("meld:" + text) for text in TEXT)
GIVE: Final[tuple[str, ...]] = tuple(intern("give:" + text) for text in TEXT)
DISCARD: Final[tuple[str, ...]] = tuple(intern("discard:" + text) for text in TEXT)
TALON: Final = (intern("talon:0"), intern("talon:1"))

NUMBERS: Final[dict[str, int]] = {TALON[0]: 0, TALON[1]: 1}
"""The number of a talon, and of every bid and contract that was ever in a list."""

MELD_CODE: Final = 32
CLAIM_CODE: Final = 64
PLAY_CODE: Final[dict[str, int]] = {
    **{text: card for card, text in enumerate(PLAY)},
    **{text: card + MELD_CODE for card, text in enumerate(MELD)},
    CLAIM: CLAIM_CODE,
}
"""Actions of the play: the card, plus 32 for a meld; 64 is the claim."""
_PLAYS: Final[dict[int, str]] = {code: text for text, code in PLAY_CODE.items()}
TAKEN: Final = tuple(
    tuple((seat, _PLAYS.get(code, "")) for code in range(CLAIM_CODE + 1)) for seat in range(4)
)
"""The (seat, action) pairs of the play, by seat and code, so that none is made a ply."""
MOVED_CARD: Final[dict[str, int]] = {
    **{text: card for card, text in enumerate(GIVE)},
    **{text: card for card, text in enumerate(DISCARD)},
}

PLAY_LOW, PLAY_HIGH = halves(PLAY)
PLAY_SUIT: Final[dict[int, tuple[str, ...]]] = {
    half << shift: plays[half]
    for shift, plays in ((0, PLAY_LOW), (12, PLAY_HIGH))
    for suit in (0, 6)
    for half in range(1 << suit, 64 << suit, 1 << suit)
}
"""Plays of cards of one suit, by their mask."""


@lru_cache(maxsize=4096)
def numbered(verb: str, first: int, last: int, step: int) -> tuple[str, ...]:
    """``verb:n`` for ``first`` in any case, and every multiple of ``step`` above it up to ``last``."""
    above = (first // step + 1) * step
    texts = []
    for n in (first, *range(above, last + 1, step)):
        text = intern(f"{verb}:{n}")
        NUMBERS[text] = n
        texts.append(text)
    return tuple(texts)


@lru_cache(maxsize=4096)
def bids(first: int, last: int, step: int) -> tuple[str, ...]:
    """``pass`` and the bids of a seat that need not bid."""
    if first > last:
        return (PASS,)
    return (PASS, *numbered("bid", first, last, step))
