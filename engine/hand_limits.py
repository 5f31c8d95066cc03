"""What a hand allows to bid and to announce (rules.md section 4, "Limits")."""

from __future__ import annotations

from typing import Final

from engine.cards import ACES, MARRIAGES_VALUE, PAIRS12, marriages
from engine.ruleset import RuleSet

CARD_POINTS: Final = 120
"""All cards together: what every hand may bid and announce."""


class HandLimits:
    """The limits of a rule set; four aces count as a marriage where ``ace_marriage`` is on."""

    def __init__(self, rules: RuleSet) -> None:
        self.aces: int = rules.ace_marriage
        ceiling = rules.ceiling
        self._bids = tuple(_highest(rules.bid_limit, ceiling, worth) for worth in MARRIAGES_VALUE)
        self._contracts = tuple(_highest(rules.contract_limit, ceiling, worth) for worth in MARRIAGES_VALUE)
        self._bids_aces, self._contracts_aces = (
            tuple(_highest(limit, ceiling, worth + self.aces) for worth in MARRIAGES_VALUE)
            for limit in (rules.bid_limit, rules.contract_limit)
        )

    def has_marriage(self, hand: int) -> bool:
        """Whether a marriage is held."""
        return marriages(hand) > 0 or (self.aces > 0 and hand & ACES == ACES)

    def highest_bid(self, hand: int) -> int:
        """The highest bid that a hand allows."""
        table = self._bids_aces if hand & ACES == ACES else self._bids
        return table[PAIRS12[hand & 4095] | PAIRS12[hand >> 12] << 2]

    def highest_contract(self, hand: int) -> int:
        """The highest contract that a hand allows."""
        table = self._contracts_aces if hand & ACES == ACES else self._contracts
        return table[PAIRS12[hand & 4095] | PAIRS12[hand >> 12] << 2]


def _highest(limit: str, ceiling: int, worth: int) -> int:
    """What a limit allows to a hand whose marriages are worth so much."""
    if limit == "none" or (limit == "marriage" and worth):
        return ceiling
    return min(ceiling, CARD_POINTS + worth)
