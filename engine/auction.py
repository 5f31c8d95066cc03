"""The auction, with its forced and free openings, jumps and limits (rules.md section 4, phase 5)."""

from __future__ import annotations

from typing import Final

from engine.actions import NUMBERS, PASS, bids, numbered
from engine.cards import ACES, marriages
from engine.deal import ACES_SHOWN, Deal
from engine.dealing import show_hand
from engine.hand_limits import HandLimits
from engine.ruleset import RuleSet

GOLDEN_BID: Final = 120
"""What forehand plays in a golden deal, whatever he holds."""


class Auction:
    """Asks for bids until one stands and all others have passed."""

    def __init__(self, rules: RuleSet, limits: HandLimits) -> None:
        self.limits = limits
        self.held = rules.auction
        self.forced = rules.opening == "forced"
        self.least = rules.min_bid
        self.step = rules.bid_step
        self.opening = numbered("bid", self.least, self.least, self.step)
        self.jumps = rules.jump_bids
        self.show_from = rules.show_marriage_from
        self.active = rules.active
        self._lists: dict[int, tuple[str, ...]] = {}

    def enter(self, deal: Deal) -> tuple[str, ...]:
        """The bids of the next seat; none when a declarer is found or there is no auction."""
        if not self.held:
            return ()
        if deal.golden:
            deal.declarer, deal.bid, deal.bidder = deal.active[0], GOLDEN_BID, deal.active[0]
            return ()
        seat = deal.active[0] if deal.turn < 0 else deal.next_seat[deal.turn]
        while deal.passed >> seat & 1:
            seat = deal.next_seat[seat]
        if seat == deal.bidder:
            deal.declarer = seat
            if deal.dark:
                show_hand(deal)
            return ()
        deal.seat = seat
        if deal.bidder >= 0:
            return self._bids(deal.bid + self.step, deal.hands[seat])
        if self._must_open(deal, seat):
            return self.opening
        return self._bids(self.least, deal.hands[seat])

    def _bids(self, first: int, hand: int) -> tuple[str, ...]:
        """A pass and the bids from ``first`` up; each list is made once."""
        last = self.limits.highest_bid(hand)
        if not self.jumps and first < last:
            last = first
        key = first << 16 | last
        found = self._lists.get(key)
        if found is None:
            found = self._lists[key] = bids(first, last, self.step)
        return found

    def _must_open(self, deal: Deal, seat: int) -> bool:
        """Whether a seat that nobody bid before may not pass: the last one left, or a forced forehand."""
        if self.forced and seat == deal.active[0]:
            return True
        return (deal.passed | 1 << seat).bit_count() == self.active

    def take(self, deal: Deal, action: str) -> None:
        """A pass or a bid of the seat that was asked."""
        seat = deal.turn = deal.seat
        if action == PASS:
            deal.passed |= 1 << seat
            return
        deal.compulsory = deal.bidder < 0 and self._must_open(deal, seat)
        if deal.dark:
            deal.dark = False
            show_hand(deal)
        deal.bid, deal.bidder = NUMBERS[action], seat
        deal.last_bids[seat] = deal.bid
        if self.show_from is not None:
            self._show_marriage(deal, seat)

    def dark_bid(self, deal: Deal) -> None:
        """A dark opening shows a marriage like any other bid; the next seat is asked."""
        deal.turn = deal.active[0]
        self._show_marriage(deal, deal.active[0])

    def _show_marriage(self, deal: Deal, seat: int) -> None:
        """R30: from a certain bid on the cheapest marriage of the bidder is shown, once a deal."""
        if self.show_from is None or deal.bid < self.show_from:
            return
        if any(shown == seat for shown, _ in deal.shown):
            return
        pairs = marriages(deal.hands[seat])
        if pairs:
            deal.shown.append((seat, (pairs & -pairs).bit_length() - 1))
        elif self.limits.aces and deal.hands[seat] & ACES == ACES:
            deal.shown.append((seat, ACES_SHOWN))
