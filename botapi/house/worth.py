"""Hand evaluation of the ``counter``: how many points a hand brings its declarer.

A linear sum over a few things one can see in a hand, its weights fitted by least squares to deals that the
house bots played out (bench/fit_worth.py makes them anew).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from botapi.house.cards import MARRIAGE, SUITS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

FEATURES: Final = (
    "one",
    "aces",
    "tens_behind_aces",
    "tens_guarded",
    "kings",
    "length",
    "marriages",
    "best",
    "half",
    "trumps",
    "queens",
)
BEFORE: Final = (58.4, 6.9, 5.3, 3.9, -9.9, 4.9, 0.59, 0.18, 0.1, -3.7, -0.4)
AFTER: Final = (34.5, 10.3, 10.5, 6.6, -6.5, -0.6, 0.57, 0.43, 0.0, -4.2, -2.6)


def features(hand: Collection[str]) -> Sequence[float]:
    """The :data:`FEATURES` of a hand."""
    by_suit = {suit: {card[0] for card in hand if card[1] == suit} for suit in SUITS}
    married = [suit for suit in SUITS if {"K", "Q"} <= by_suit[suit]]
    half = [suit for suit in SUITS if len({"K", "Q"} & by_suit[suit]) == 1]
    ranks = list(by_suit.values())
    return (
        1.0,
        sum("A" in held for held in ranks),
        sum({"A", "T"} <= held for held in ranks),
        sum("T" in held and "A" not in held and len(held) > 1 for held in ranks),
        sum({"A", "T", "K"} <= held for held in ranks),
        sum(max(0, len(held) - 3) for held in ranks),
        sum(MARRIAGE[suit] for suit in married),
        max((MARRIAGE[suit] for suit in married), default=0),
        sum(MARRIAGE[suit] for suit in half),
        max((len(by_suit[suit]) - 2 + ("A" in by_suit[suit]) for suit in married), default=0),
        sum("Q" in held and "K" not in held for held in ranks),
    )


def expected(hand: Collection[str], *, exchanged: bool) -> float:
    """Points that the declarer may expect of ``hand``, before the talon or after the exchange."""
    weights = AFTER if exchanged else BEFORE
    return sum(weight * value for weight, value in zip(weights, features(hand), strict=True))
