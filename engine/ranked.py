"""Cards by rank, as the solver holds them: the four nines first, the four aces last.

Card ``4 * rank + suit`` instead of the engine's ``6 * suit + rank``. So the lowest bit of a mask is its
cheapest card, and the kings and queens of all suits lie side by side.

What ``cards`` has under the same name for its own numbers begins here with ``R_`` or ``r_``.
"""

from __future__ import annotations

from typing import Final

from engine.cards import ALL, MARRIAGE_VALUE, PACK, RANK_POINTS, members

R_NINES: Final = 15
R_QUEEN, R_KING, R_ACE = 8, 12, 20
"""The first of the four queens, kings and aces."""
R_QUEENS: Final = R_NINES << R_QUEEN
R_SUITS: Final[tuple[int, ...]] = tuple(0x111111 << suit for suit in range(4))
R_SUIT_MASK_OF: Final[tuple[int, ...]] = R_SUITS * 6
R_HIGHER: Final[tuple[int, ...]] = tuple(R_SUIT_MASK_OF[card] & -2 << card & ALL for card in range(PACK))
"""The cards of the same suit that beat a card."""
CARD_OF: Final[tuple[int, ...]] = tuple(card % 4 * 6 + card // 4 for card in range(PACK))
"""The engine's number of a card."""
IN_ORDER: Final[tuple[int, ...]] = tuple(card % 6 * 4 + card // 6 for card in members(ALL))
"""The cards in the order in which hands are written."""
DEAREST: Final[tuple[int, ...]] = tuple(
    max((MARRIAGE_VALUE[suit] for suit in range(4) if pairs >> suit & 1), default=0) for pairs in range(16)
)
"""The value of the best of some marriages."""


def ranked(mask: int) -> int:
    """A mask of the engine's cards as one by rank."""
    return sum(1 << card for card in range(PACK) if mask >> CARD_OF[card] & 1)


def _points12(lowest: int) -> tuple[int, ...]:
    return tuple(
        sum(RANK_POINTS[lowest + c // 4] for c in range(12) if half >> c & 1) for half in range(4096)
    )


def _rising12(first: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(first + c for c in range(12) if half >> c & 1) for half in range(4096))


def _above12(first: int) -> tuple[int, ...]:
    """The cards above the highest of each suit in a half; all of a suit that is not in it."""
    found = []
    for half in range(4096):
        above = list(R_SUITS)
        for card in range(12):
            if half >> card & 1:
                above[card % 4] = R_HIGHER[first + card]
        found.append(sum(above))
    return tuple(found)


LOW_POINTS: Final = _points12(0)
HIGH_POINTS: Final = _points12(3)
LOW_RISING: Final = _rising12(0)
HIGH_RISING: Final = _rising12(12)
LOW_FALLING: Final = tuple(cards[::-1] for cards in LOW_RISING)
HIGH_FALLING: Final = tuple(cards[::-1] for cards in HIGH_RISING)
LOW_ABOVE: Final = _above12(0)
HIGH_ABOVE: Final = _above12(12)


def r_points(mask: int) -> int:
    """Card points of a mask."""
    return LOW_POINTS[mask & 4095] + HIGH_POINTS[mask >> 12]


def rising(mask: int) -> tuple[int, ...]:
    """The cards of a mask, the cheapest first."""
    return LOW_RISING[mask & 4095] + HIGH_RISING[mask >> 12]


def falling(mask: int) -> tuple[int, ...]:
    """The cards of a mask, the dearest first."""
    return HIGH_FALLING[mask >> 12] + LOW_FALLING[mask & 4095]


def unbeaten(mask: int) -> int:
    """The cards that are higher than every card of their suit in a mask."""
    return LOW_ABOVE[mask & 4095] & HIGH_ABOVE[mask >> 12]


def r_marriages(mask: int) -> int:
    """The marriages in a mask: bit ``suit`` is set when it holds king and queen of the suit."""
    return mask >> R_QUEEN & mask >> R_KING & 15
