"""Talon, exchange, concession and contract (rules.md section 4, phases 6 to 8; concession: section 5)."""

from __future__ import annotations

from engine.actions import (
    CONCEDE,
    CONCEDE_TUPLE,
    DISCARD,
    GIVE,
    MOVED_CARD,
    NUMBERS,
    REDEAL,
    REDEAL_TUPLE,
    TALON,
    numbered,
)
from engine.auction import GOLDEN_BID
from engine.cards import ACES, MARRIAGES_VALUE, NINES, halves, hand_text, marriages, points
from engine.deal import Deal, Standing
from engine.hand_limits import HandLimits
from engine.ruleset import RuleSet

ACE_BONUS = 50


class Talon:
    """Phase 6: the declarer takes a talon, and what others see of it."""

    def __init__(self, rules: RuleSet) -> None:
        self.choose = rules.choose_talon
        self.reveal = rules.talon_reveal
        self.bonus = rules.sit_out_bonus

    def enter(self, deal: Deal) -> tuple[str, ...]:
        """The choice of a talon, where there is one."""
        if deal.declarer < 0 or not deal.talons:
            return ()
        if deal.chosen >= 0:
            return ()
        if self.choose:
            deal.seat = deal.declarer
            return TALON
        self._pick(deal, 0)
        return ()

    def take(self, deal: Deal, action: str) -> None:
        """Take the talon chosen."""
        self._pick(deal, NUMBERS[action])

    def _pick(self, deal: Deal, index: int) -> None:
        deal.chosen = index
        deal.talon = deal.talons[index]
        deal.hands[deal.declarer] |= deal.talon
        if not deal.talon_public:
            deal.talon_public = self._shown(deal)
        viewer = -1 if deal.talon_public else deal.declarer
        deal.notes.append((len(deal.actions), viewer, {"event": "talon", "cards": hand_text(deal.talon)}))
        if deal.sitter >= 0:
            deal.bonus = self._bonus(deal.talon)

    def _shown(self, deal: Deal) -> bool:
        if deal.dark or self.reveal == "never":
            return False
        return self.reveal == "always" or not deal.compulsory

    def _bonus(self, talon: int) -> int:
        """R17, R41: what a sitting-out dealer scores for the talon, before rounding."""
        if self.bonus == "none":
            return 0
        worth = MARRIAGES_VALUE[marriages(talon)]
        if self.bonus == "aces":
            return worth + ACE_BONUS * (talon & ACES).bit_count()
        return worth + points(talon)


class Conceding:
    """Who may concede, and what it pays."""

    def __init__(self, rules: RuleSet) -> None:
        self.rule = rules.concession
        self.bid_step = rules.bid_step

    def allowed(self, deal: Deal, standing: Standing) -> bool:
        """Whether the declarer may concede this deal."""
        rule = self.rule
        if rule is None:
            return False
        if rule.limit is not None and standing.concessions[deal.declarer] >= rule.limit:
            return False
        if rule.barred_at is not None and standing.totals[deal.declarer] >= rule.barred_at:
            return False
        if rule.upto == "forced":
            return deal.compulsory and not deal.dark and not deal.golden
        return rule.upto == "any" or deal.bid <= int(rule.upto)

    def left(self, used: int) -> int | None:
        """How many a seat has left, None without a limit."""
        if self.rule is None:
            return 0
        return None if self.rule.limit is None else max(0, self.rule.limit - used)

    def pays(self, bid: int) -> int:
        """What each defender gets; half of the bid is rounded up to bid_step."""
        assert self.rule is not None
        if self.rule.pays == "half":
            return -(-bid // (2 * self.bid_step)) * self.bid_step
        return int(self.rule.pays)

    def costs(self, bid: int) -> int:
        """What it costs the declarer."""
        assert self.rule is not None
        return bid if self.rule.costs_bid else 0


class Exchange:
    """Phase 7: cards given or discarded, or instead the deal voided or conceded."""

    def __init__(self, rules: RuleSet, conceding: Conceding) -> None:
        self.kind = rules.exchange
        self.conceding = conceding
        self.talon_below = rules.redeal_talon_below
        self.talon_nines = rules.redeal_talon_nines
        self.discards = self.kind == "discard"
        self.low, self.high = halves(DISCARD if self.discards else GIVE)
        self.wanted = rules.talons[0] if self.discards else rules.active - 1

    def enter(self, deal: Deal, standing: Standing) -> tuple[str, ...]:
        """The cards the declarer may part with; at first also redeal and concede."""
        if self.kind == "none" or deal.declarer < 0:
            return ()
        moved = deal.discarded.bit_count() + len(deal.given)
        if moved == self.wanted:
            return ()
        deal.seat = deal.declarer
        hand = deal.hands[deal.declarer]
        legal = self.low[hand & 4095] + self.high[hand >> 12]
        if moved:
            return legal
        if self._poor_talon(deal.talon):
            legal += REDEAL_TUPLE
        if self.conceding.allowed(deal, standing):
            legal += CONCEDE_TUPLE
        return legal

    def _poor_talon(self, talon: int) -> bool:
        if points(talon) < self.talon_below:
            return True
        return self.talon_nines > 0 and (talon & NINES).bit_count() >= self.talon_nines

    def take(self, deal: Deal, action: str) -> None:
        """Give, discard, void or concede."""
        if action == REDEAL:
            deal.void = True
        elif action == CONCEDE:
            deal.conceded = True
        else:
            card = MOVED_CARD[action]
            deal.hands[deal.declarer] ^= 1 << card
            if self.discards:
                deal.discarded |= 1 << card
            else:
                receiver = deal.next_seat[deal.given[-1][0] if deal.given else deal.declarer]
                deal.given.append((receiver, card))
                deal.hands[receiver] |= 1 << card


class Contract:
    """Phase 8: the declarer names his contract."""

    def __init__(self, rules: RuleSet, limits: HandLimits, conceding: Conceding) -> None:
        self.limits = limits
        self.conceding = conceding
        self.step = rules.contract_step
        self.golden_raise = rules.golden_raise
        self.concede_here = rules.exchange == "none"

    def enter(self, deal: Deal, standing: Standing) -> tuple[str, ...]:
        """The contracts from the bid up, and a concession where there was no exchange."""
        if deal.declarer < 0 or deal.contract:
            return ()
        deal.seat = deal.declarer
        last = self.limits.highest_contract(deal.hands[deal.declarer])
        if deal.golden and not self.golden_raise:
            last = GOLDEN_BID
        legal = numbered("contract", deal.bid, last, self.step)
        if self.concede_here and self.conceding.allowed(deal, standing):
            legal += CONCEDE_TUPLE
        return legal

    def take(self, deal: Deal, action: str) -> None:
        """Announce, or concede."""
        if action == CONCEDE:
            deal.conceded = True
        else:
            deal.contract = NUMBERS[action]
            deal.had_marriage = self.limits.has_marriage(deal.hands[deal.declarer])
