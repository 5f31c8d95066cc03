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
Weights = tuple[float, ...]
MELD_AT_ONCE: Final[tuple[Weights, Weights]] = (
    (40.5, 12.3, 8.3, 3.7, -1.9, 2.5, 0.60, 0.31, 0.13, 3.9, 0.9),
    (5.3, 17.2, 10.1, 7.7, 0.1, 4.8, 0.62, 0.45, -0.02, 3.8, -0.7),
)
"""Before the talon and after the exchange, where a marriage may be melded on the first trick."""
MELD_LATER: Final[tuple[Weights, Weights]] = (
    (22.7, 22.9, 8.3, 3.8, 3.7, 4.5, 0.26, 0.59, 0.11, 6.6, 0.0),
    (-16.3, 27.0, 12.8, 5.7, 2.6, 1.8, 0.36, 0.59, -0.01, 8.9, 0.1),
)
"""The same where a trick must be taken first."""


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


def expected(hand: Collection[str], *, exchanged: bool, at_once: bool) -> float:
    """Points that the declarer may expect of ``hand``.

    ``exchanged``: it is final, else the talon is still to come. ``at_once``: marriages may be melded on the
    first trick.
    """
    weights = (MELD_AT_ONCE if at_once else MELD_LATER)[exchanged]
    return sum(weight * value for weight, value in zip(weights, features(hand), strict=True))
