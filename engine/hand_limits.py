"""What a hand allows to bid and to announce (rules.md section 4, "Limits")."""

from __future__ import annotations

from typing import Final

from engine.cards import ACES, MARRIAGES_VALUE, marriages
from engine.ruleset import RuleSet

CARD_POINTS: Final = 120


class HandLimits:
    """The limits of a rule set; four aces count as a marriage where ``ace_marriage`` is on."""

    def __init__(self, rules: RuleSet) -> None:
        self.aces: int = rules.ace_marriage
        self.ceiling: int = rules.ceiling
        self.bid: str = rules.bid_limit
        self.contract: str = rules.contract_limit

    def worth(self, hand: int) -> int:
        """The values of all marriages held."""
        return MARRIAGES_VALUE[marriages(hand)] + (self.aces if hand & ACES == ACES else 0)

    def has_marriage(self, hand: int) -> bool:
        """Whether a marriage is held."""
        return self.worth(hand) > 0

    def highest_bid(self, hand: int) -> int:
        """The highest bid that a hand allows."""
        return self._highest(self.bid, hand)

    def highest_contract(self, hand: int) -> int:
        """The highest contract that a hand allows."""
        return self._highest(self.contract, hand)

    def _highest(self, limit: str, hand: int) -> int:
        worth = self.worth(hand)
        if limit == "none" or (limit == "marriage" and worth):
            return self.ceiling
        return min(self.ceiling, CARD_POINTS + worth)
