"""The bookkeeping of a deal, in the order of rules.md section 6, and the end of the game (section 7)."""

from __future__ import annotations

from engine.deal import Deal, Standing
from engine.dealing import CUT_PENALTY
from engine.exchange import Conceding
from engine.ruleset import RuleSet

SHORT_OF_TARGET = 10
BOLT_PENALTY = 120
FALL_COST = 120
"""Of a fall off the barrel by a seat that neither bid nor played there (R39)."""


class Scoring:
    """Scores deals by a rule set."""

    def __init__(self, rules: RuleSet, conceding: Conceding) -> None:
        self.conceding = conceding
        self.players = rules.players
        self.target = rules.target
        self.deal_limit = rules.deal_limit
        self.step = rules.rounding
        self.half_up = rules.round_half == "up"
        self.limit = rules.defender_limit
        self.barrel = rules.barrel
        self.bolts = rules.bolts

    def rounded(self, points: int) -> int:
        """Points rounded to a multiple of ``rounding``; an exact half goes where ``round_half`` says."""
        over = points % self.step
        if 2 * over > self.step or (2 * over == self.step and self.half_up):
            return points - over + self.step
        return points - over

    def on_barrel(self, total: int) -> bool:
        """Whether a seat with this total is on the barrel."""
        return self.barrel is not None and total >= self.barrel.threshold

    def score(self, deal: Deal, standing: Standing) -> list[int]:
        """Enter the deal into the standing; returns what it added to each total, a cut penalty included."""
        before = deal.before
        if deal.void:
            standing.redeals += 1
        else:
            rounded = [self.rounded(points) for points in deal.points]
            scores = self._multiplied(deal, rounded)
            made = deal.contract > 0 and scores[deal.declarer] > 0
            for seat in range(self.players):
                standing.totals[seat] = self._limited(deal, seat, before[seat], scores[seat])
            if self.barrel is not None:
                self._barrel(deal, standing)
            if self.bolts:
                self._bolts(deal, standing, rounded)
            self._close(deal, standing, made)
        self._leave_barrel(standing)
        self._end(deal, standing)
        scores = [standing.totals[seat] - before[seat] for seat in range(self.players)]
        if deal.cut_payer >= 0:
            scores[deal.cut_payer] -= CUT_PENALTY
        return scores

    def _multiplied(self, deal: Deal, rounded: list[int]) -> list[int]:
        """Steps 1 and 2: the scores of the table, doubled where dark or golden."""
        declarer = deal.declarer
        if deal.conceded:
            pays = self.conceding.pays(deal.bid)
            scores = [pays] * self.players
            scores[declarer] = -self.conceding.costs(deal.bid)
        else:
            scores = rounded[:]
            if declarer >= 0:
                scores[declarer] = deal.contract if deal.points[declarer] >= deal.contract else -deal.contract
        if deal.sitter >= 0:
            scores[deal.sitter] = self.rounded(deal.bonus)
        if multiplier(deal) == 2:
            scores = [2 * score for score in scores]
        return scores

    def _limited(self, deal: Deal, seat: int, before: int, score: int) -> int:
        """Steps 3 to 5: the new total of a seat."""
        barrel = self.barrel
        total = before + score
        if barrel is None and (total < self.target or seat == deal.declarer):
            return total
        on_barrel = barrel is not None and before >= barrel.threshold
        short = max(before, self.target - SHORT_OF_TARGET)
        if barrel is not None and on_barrel:
            if seat != deal.declarer:
                total = before
            elif score <= 0:
                total = before if barrel.attempts is not None else total
            elif deal.contract < barrel.min_contract or (barrel.needs_marriage and not deal.had_marriage):
                total = min(total, short)
        if seat != deal.declarer and total >= self.target and total > before and self.limit != "none":
            total = short if self.limit == "cap" else before
        if barrel is not None and barrel.clamp and total >= barrel.threshold:
            finished = on_barrel and before < self.target <= total
            total = total if finished else barrel.threshold
        return total

    def _barrel(self, deal: Deal, standing: Standing) -> None:
        """Step 6: attempts and falls (R39)."""
        barrel = self.barrel
        assert barrel is not None
        for seat in deal.active:
            if deal.before[seat] < barrel.threshold or barrel.attempts is None:
                continue
            if seat == deal.declarer:
                standing.last_contract[seat] = deal.bid if deal.conceded else deal.contract
            standing.last_bid[seat] = deal.last_bids.get(seat, standing.last_bid[seat])
            if standing.totals[seat] >= self.target:
                continue
            standing.attempts[seat] += 1
            if standing.attempts[seat] < barrel.attempts:
                continue
            standing.falls[seat] += 1
            if standing.falls[seat] == barrel.falls:
                standing.totals[seat] = standing.falls[seat] = 0
            else:
                stood = standing.last_contract[seat] or standing.last_bid[seat] or FALL_COST
                standing.totals[seat] -= stood
            self._forget(standing, seat)

    def _forget(self, standing: Standing, seat: int) -> None:
        standing.attempts[seat] = standing.last_contract[seat] = standing.last_bid[seat] = 0

    def leave_after_cut(self, deal: Deal, standing: Standing) -> None:
        """A cut penalty may push a seat off the barrel before the deal begins."""
        if deal.cut_payer >= 0:
            self._leave_barrel(standing)

    def _leave_barrel(self, standing: Standing) -> None:
        """A seat below the threshold is off the barrel: its attempts begin anew, its falls are kept."""
        if self.barrel is not None:
            for seat in range(self.players):
                if standing.totals[seat] < self.barrel.threshold:
                    self._forget(standing, seat)

    def _bolts(self, deal: Deal, standing: Standing, rounded: list[int]) -> None:
        """Step 7: so many zero scores in a row cost 120 (R32)."""
        played_out = not deal.conceded and not deal.claimed
        for seat in deal.active:
            if self.on_barrel(deal.before[seat]):
                continue
            if seat == deal.declarer or rounded[seat] or not played_out:
                standing.bolts[seat] = 0
                continue
            standing.bolts[seat] += 1
            if standing.bolts[seat] == self.bolts:
                standing.bolts[seat] = 0
                standing.totals[seat] -= BOLT_PENALTY

    def _close(self, deal: Deal, standing: Standing, made: bool) -> None:
        """Count the finished deal, concessions and golden rounds."""
        standing.finished += 1
        standing.redeals = 0
        if deal.conceded:
            standing.concessions[deal.declarer] += 1
        if not deal.golden:
            return
        standing.golden_deals += 1
        standing.golden_made = standing.golden_made or made
        if standing.golden_deals == self.players:
            standing.golden = not standing.golden_made
            standing.golden_deals, standing.golden_made = 0, False

    def _end(self, deal: Deal, standing: Standing) -> None:
        """Section 7: the target, or the safety stop."""
        totals = standing.totals
        if max(totals) >= self.target and not deal.void:
            # R31: the declarer of the last deal is ahead, then the order from its forehand
            def precedence(seat: int) -> tuple[int, int, int]:
                return (-totals[seat], seat != deal.declarer, (seat - deal.active[0]) % self.players)

            order = sorted(range(self.players), key=precedence)
            standing.reason = "target"
            standing.ranks = tuple(order.index(seat) + 1 for seat in range(self.players))
        elif deal.number + 1 >= self.deal_limit:
            standing.reason = "deal_limit"
            standing.ranks = tuple(1 + sum(other > total for other in totals) for total in totals)


def multiplier(deal: Deal) -> int:
    """2 in a deal played dark and in a golden one, else 1."""
    return 2 if deal.golden or deal.dark else 1
