"""From the cut to the first bid: dealing, going dark, redeals (rules.md section 4, phases 1 to 4)."""

from __future__ import annotations

from engine.actions import DARK, KEEP, LOOK, REDEAL, REDEAL_TUPLE
from engine.cards import NINES, POINTS12, hand_text, mask_of
from engine.deal import Deal, Standing
from engine.hand_limits import HandLimits
from engine.ruleset import RuleSet
from engine.shuffle import cut_cards, cut_costs

CUT_PENALTY = 120


class Dealing:
    """Deals by a rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self.players = rules.players
        self.size = rules.hand_size
        self.talons = rules.talons
        self.face_up = rules.talon_face_up
        self.cut_ritual = rules.cut_ritual
        self.seatings = tuple(_seating(rules, dealer) for dealer in range(rules.players))

    def deal(self, number: int, deck: tuple[int, ...], seed: bytes | None, standing: Standing) -> Deal:
        """A new deal from ``deck``; a cut that costs is taken from its payer's total at once."""
        dealer = standing.finished % self.players
        sitter, active, next_seat = self.seatings[dealer]
        shown: tuple[int, ...] = ()
        payer = -1
        if self.cut_ritual and seed is not None:
            found = cut_cards(seed, standing.finished, standing.redeals)
            shown = tuple(found)
            if cut_costs(found):
                payer = (dealer - 1) % self.players
                standing.totals[payer] -= CUT_PENALTY
        hands = [0] * self.players
        position, size = 0, self.size
        for seat in active:
            hands[seat] = mask_of(deck[position : position + size])
            position += size
        talons = []
        for width in self.talons:
            talons.append(mask_of(deck[position : position + width]))
            position += width
        return Deal(
            number=number,
            dealer=dealer,
            sitter=sitter,
            active=active,
            next_seat=next_seat,
            deck=deck,
            hands=hands,
            dealt=tuple(hands),
            talons=tuple(talons),
            stock=deck[position:],
            points=[0] * self.players,
            before=tuple(standing.totals),
            cut=shown,
            cut_payer=payer,
            golden=standing.golden,
            face_up=self.face_up,
        )


def _seating(rules: RuleSet, dealer: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """For a dealer: who sits out, the active seats from forehand, and who follows whom."""
    order = [(dealer + step) % rules.players for step in range(1, rules.players + 1)]
    sitter = order.pop() if rules.dealer_sits_out else -1
    following = [-1] * rules.players
    for place, seat in enumerate(order):
        following[seat] = order[(place + 1) % len(order)]
    return sitter, tuple(order), tuple(following)


class Darkness:
    """Phase 3: forehand may bid before he sees his hand."""

    def __init__(self, rules: RuleSet) -> None:
        self.bid = rules.dark_bid or 0

    def enter(self, deal: Deal) -> tuple[str, ...]:
        """The decision of forehand, or none."""
        if not self.bid or deal.golden:
            return ()
        deal.seat = deal.active[0]
        deal.offered_dark = True
        return (DARK, LOOK)

    def take(self, deal: Deal, action: str) -> None:
        """Go dark, or look."""
        if action == DARK:
            deal.dark = True
            deal.bid, deal.bidder = self.bid, deal.seat
            deal.last_bids[deal.seat] = self.bid
        else:
            show_hand(deal)


def show_hand(deal: Deal) -> None:
    """Forehand sees his cards after all; an event for his eyes."""
    seat = deal.active[0]
    deal.notes.append((len(deal.actions), seat, {"event": "hand", "hand": hand_text(deal.dealt[seat])}))


class Redeal:
    """Phases 4 and 7: seats that may void the deal for their cards."""

    def __init__(self, rules: RuleSet, limits: HandLimits) -> None:
        self.limits = limits
        self.below = rules.redeal_below
        nines = rules.redeal_four_nines
        self.nines_dealt = nines in ("dealt", "both")
        self.nines_exchanged = nines in ("exchanged", "both")
        self.barred = rules.redeal_barred_by_marriage
        self.answers = REDEAL_TUPLE if rules.redeal_automatic else (REDEAL, KEEP)
        self.possible = self.nines_dealt or self.below > 0

    def entitled_dealt(self, hand: int) -> bool:
        """Whether a dealt hand may be given back."""
        if POINTS12[hand & 4095] + POINTS12[hand >> 12] >= self.below and not (
            self.nines_dealt and hand & NINES == NINES
        ):
            return False
        return not (self.barred and self.limits.has_marriage(hand))

    def entitled_exchanged(self, hand: int) -> bool:
        """Whether a hand may be given back after the exchange."""
        return hand & NINES == NINES and not (self.barred and self.limits.has_marriage(hand))

    def enter_dealt(self, deal: Deal) -> tuple[str, ...]:
        """Ask the next entitled seat from forehand on."""
        if not self.possible:
            return ()
        while deal.asked < len(deal.active):
            seat = deal.active[deal.asked]
            deal.asked += 1
            if self.entitled_dealt(deal.hands[seat]) and not (deal.dark and seat == deal.active[0]):
                deal.seat = seat
                return self.answers
        return ()

    def enter_exchanged(self, deal: Deal) -> tuple[str, ...]:
        """Ask the next seat holding four nines, the declarer first."""
        if not self.nines_exchanged or deal.declarer < 0:
            return ()
        if not deal.nines_asked:
            deal.nines_asked = True
            seat = deal.declarer
        else:
            seat = deal.next_seat[deal.seat]
            if seat == deal.declarer:
                return ()
        while not self.entitled_exchanged(deal.hands[seat]):
            seat = deal.next_seat[seat]
            if seat == deal.declarer:
                return ()
        deal.seat = seat
        return self.answers

    def take(self, deal: Deal, action: str) -> None:
        """Void the deal, or play it."""
        deal.void = action == REDEAL
