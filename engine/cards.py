"""Cards, hands as 24-bit masks, and the tables that make both fast (rules.md section 1).

A card is a number 0..23, six times its suit (S C D H) plus its rank (9 J Q K T A), as in the unshuffled
pack of section 9. Bit ``card`` of a mask says that the card is there. Text is written at the edges only.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from engine.errors import NotationError, shown

SUITS: Final = "SCDH"
RANKS: Final = "9JQKTA"
PACK: Final = 24
ALL: Final = (1 << PACK) - 1
TEXT: Final[tuple[str, ...]] = tuple(rank + suit for suit in SUITS for rank in RANKS)
NUMBER: Final[dict[str, int]] = {text: card for card, text in enumerate(TEXT)}
RANK_POINTS: Final = (0, 2, 3, 4, 10, 11)
POINTS: Final[tuple[int, ...]] = RANK_POINTS * 4
SUIT_OF: Final[tuple[int, ...]] = tuple(card // 6 for card in range(PACK))
SUIT_MASK: Final[tuple[int, ...]] = tuple(63 << 6 * suit for suit in range(4))
MARRIAGE_VALUE: Final = (40, 60, 80, 100)
QUEEN, KING, ACE = 2, 3, 5
NINES: Final = sum(1 << 6 * suit for suit in range(4))
QUEENS: Final = NINES << QUEEN
KINGS: Final = NINES << KING
ACES: Final = NINES << ACE
HIGHER: Final[tuple[int, ...]] = tuple(
    SUIT_MASK[card // 6] & ~((1 << card + 1) - 1) & ALL for card in range(PACK)
)
"""The cards of the same suit that beat a card."""
HAND_ORDER: Final[tuple[int, ...]] = tuple(suit * 6 + rank for suit in range(4) for rank in range(5, -1, -1))


def _points12() -> tuple[int, ...]:
    return tuple(sum(POINTS[card] for card in range(12) if half >> card & 1) for half in range(4096))


def _above12() -> tuple[int, ...]:
    """For each half hand, the cards higher than its lowest card of a suit (own ones too)."""
    found = []
    for half in range(4096):
        mask = 0
        for shift in (0, 6):
            suit = half >> shift & 63
            if suit:
                lowest = suit & -suit
                mask |= (63 & ~(2 * lowest - 1)) << shift
        found.append(mask)
    return tuple(found)


def _pairs12() -> tuple[int, ...]:
    """Bit 0 and 1 of a half hand: king and queen of its lower and of its upper suit."""
    return tuple((half & 12 == 12) | (half >> 6 & 12 == 12) << 1 for half in range(4096))


def order12(base: int) -> tuple[tuple[int, ...], ...]:
    """The cards of each half hand (cards ``base`` to ``base + 11``) in hand order."""
    cards = [card for card in HAND_ORDER if base <= card < base + 12]
    return tuple(tuple(c for c in cards if half >> c - base & 1) for half in range(4096))


POINTS12: Final = _points12()
ABOVE12: Final = _above12()
PAIRS12: Final = _pairs12()
LOW_ORDER: Final = order12(0)
HIGH_ORDER: Final = order12(12)


@cache
def halves(texts: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """A text a card as two tables: for the lower (S C) and the upper (D H) half of a hand, by its 12 bits."""
    low, high = (
        tuple(tuple([texts[card] for card in cards]) for cards in order) for order in (LOW_ORDER, HIGH_ORDER)
    )
    return low, high


TEXT_LOW, TEXT_HIGH = halves(TEXT)
MARRIAGES_VALUE: Final[tuple[int, ...]] = tuple(
    sum(MARRIAGE_VALUE[suit] for suit in range(4) if pairs >> suit & 1) for pairs in range(16)
)


def points(mask: int) -> int:
    """Card points of a mask."""
    return POINTS12[mask & 4095] + POINTS12[mask >> 12]


def marriages(mask: int) -> int:
    """The marriages in a mask: bit ``suit`` is set when it holds king and queen of the suit."""
    return PAIRS12[mask & 4095] | PAIRS12[mask >> 12] << 2


def members(mask: int) -> tuple[int, ...]:
    """The cards of a mask in hand order: suits S C D H, high to low."""
    return LOW_ORDER[mask & 4095] + HIGH_ORDER[mask >> 12]


def hand_text(mask: int) -> list[str]:
    """A mask as text, in hand order."""
    return [*TEXT_LOW[mask & 4095], *TEXT_HIGH[mask >> 12]]


def mask_of(cards: list[int] | tuple[int, ...]) -> int:
    """The mask of some cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def parse(text: object) -> int:
    """The card that ``text`` names. Raises NotationError."""
    card = NUMBER.get(text) if isinstance(text, str) else None
    if card is None:
        raise NotationError(f"{shown(text)} is no card")
    return card


def parse_deck(deck: object) -> tuple[int, ...]:
    """A full pack in the order written. Raises NotationError."""
    if not isinstance(deck, list | tuple):
        raise NotationError("a deck is a list of 24 cards")
    cards = tuple(parse(text) for text in deck)
    if len(cards) != PACK or len(set(cards)) != PACK:
        raise NotationError("a deck holds each of the 24 cards once")
    return cards
