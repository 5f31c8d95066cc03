"""How a deal was scored, in words: who gets what by the plain rule, and what barrel, bolts and limits made of it.

The deals are entered once more into a standing of their own by the engine's bookkeeping (rules.md section 6), so that
attempts, falls and bolts are the engine's, not a second opinion.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine import RuleSet
from engine.cards import NINES, hand_text, points
from engine.deal import Deal, Standing, new_standing
from engine.exchange import Conceding
from engine.scoring import Scoring, multiplier
from games.faces import short

ORDINALS: Final = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


@dataclass(frozen=True)
class ResultRow:
    """What a deal did to one seat; ``words`` say how."""

    seat: int
    points: int
    score: int
    total: int
    words: str


class Bookkeeper:
    """Explains the deals of one match, in their order."""

    def __init__(self, rules: RuleSet, names: Sequence[str]) -> None:
        self.rules = rules
        self.names = names
        self.scoring = Scoring(rules, Conceding(rules))
        self.standing = new_standing(rules)

    def explain(
        self, deal: Deal, written: Mapping[str, Any]
    ) -> tuple[tuple[str, ...], tuple[ResultRow, ...]]:
        """Sentences on the whole deal, and a row a seat. ``written`` is the deal's record."""
        self.standing.totals[:] = deal.before
        self.scoring.leave_after_cut(deal, self.standing)
        before = copy.deepcopy(self.standing)
        self.scoring.score(deal, self.standing)
        rows = tuple(
            ResultRow(
                seat,
                written["points"][seat],
                written["scores"][seat],
                written["totals"][seat],
                self._seat(deal, written, seat, before),
            )
            for seat in range(len(self.names))
        )
        return tuple(self._whole(deal)), rows

    # -- the whole deal ----------------------------------------------------------------------------

    def _whole(self, deal: Deal) -> Iterable[str]:
        if deal.cut_payer >= 0:
            yield f"{self.names[deal.cut_payer]} cut three nines in a row and pays 120."
        if deal.void:
            yield f"{self._void_reason(deal)}; the deal is void, and the same dealer deals again."
            return
        if deal.golden:
            yield "Golden deal: forehand plays 120 without an auction, and every score counts twice."
        if deal.dark:
            yield f"{self.names[deal.declarer]} plays dark: every score counts twice."
        if deal.declarer < 0:
            yield "No auction and no declarer: all score their own points."
        if deal.conceded:
            yield f"{self.names[deal.declarer]} concedes at {deal.bid}: no card is played."
        if deal.claimed:
            yield (
                f"{self.names[deal.declarer]} claims after {len(deal.winners)} tricks: nobody can take another"
                " one, and the remaining cards and marriages are his."
            )
        if deal.leftovers and deal.winners and not deal.claimed:
            left = short(hand_text(deal.leftovers))
            taker = self.names[deal.winners[-1]]
            yield f"Put away or not taken: {left}; their {points(deal.leftovers)} points go to {taker}."

    def _void_reason(self, deal: Deal) -> str:
        seat, verb = deal.actions[-1][0], "has" if self.rules.redeal_automatic else "asks for a new deal with"
        name = self.names[seat]
        if deal.declarer < 0:
            dealt = deal.dealt[seat]
            if dealt & NINES == NINES and self.rules.redeal_four_nines in {"dealt", "both"}:
                return f"{name} {verb} four nines"
            return f"{name} {verb} {_count(points(dealt), 'point')} in hand"
        if deal.given or deal.discarded:
            return f"{name} {verb} four nines after the exchange"
        nines = (deal.talon & NINES).bit_count()
        return f"{name} {verb} a talon of {_count(points(deal.talon), 'point')} and {_count(nines, 'nine')}"

    # -- one seat ----------------------------------------------------------------------------------

    def _seat(self, deal: Deal, written: Mapping[str, Any], seat: int, before: Standing) -> str:
        if deal.void:
            return "−120 for the cut" if seat == deal.cut_payer else ""
        due, words = self._due(deal, written, seat)
        parts = [words, *self._limits(deal, seat, due, before)]
        if seat == deal.cut_payer:
            parts.append("−120 for the cut")
        return "; ".join(parts)

    def _due(self, deal: Deal, written: Mapping[str, Any], seat: int) -> tuple[int, str]:
        """What the seat would get by the plain rule, and the words for it."""
        times = multiplier(deal)
        twice = ", doubled" if times > 1 else ""
        if seat == deal.sitter:
            bonus = self.scoring.rounded(deal.bonus)
            return bonus * times, f"sits out, {bonus} for the talon{twice}" if bonus else "sits out"
        if deal.conceded:
            if seat != deal.declarer:
                pays = self.scoring.conceding.pays(deal.bid)
                return pays * times, f"{pays} for the concession{twice}"
            costs = self.scoring.conceding.costs(deal.bid)
            return -costs * times, f"conceded, {costs} written off{twice}" if costs else "conceded at no cost"
        made_with, contract = written["points"][seat], written["contract"]
        if seat == deal.declarer and contract is not None:
            made = made_with >= contract
            verb = "made" if made else "failed"
            return (contract if made else -contract) * times, f"{verb} {contract} with {made_with}{twice}"
        rounded = self.scoring.rounded(made_with)
        words = _count(made_with, "point") + (f", rounded to {rounded}" if rounded != made_with else "")
        return rounded * times, words + (twice if rounded else "")

    def _limits(self, deal: Deal, seat: int, due: int, before: Standing) -> Iterable[str]:
        """What barrel, clamp, defender limit and bolts made of it, in the order of the bookkeeping."""
        had, now = before.totals[seat], self.standing.totals[seat]
        on_barrel = self.scoring.on_barrel(had)
        if on_barrel:
            yield from self._on_barrel(deal, seat, due, before)
        elif seat != deal.declarer and had + due >= self.rules.target and now < self.rules.target:
            yield from self._defender_limit(had, now)
        if not on_barrel and self.scoring.on_barrel(now) and now < self.rules.target:
            held = self.rules.barrel is not None and self.rules.barrel.clamp and had + due != now
            yield f"climbs on the barrel{f', held at {now}' if held else ''}"
        if self.rules.bolts and not on_barrel and seat != deal.sitter:
            yield from self._bolts(deal, seat, before)

    def _defender_limit(self, had: int, now: int) -> Iterable[str]:
        if self.rules.defender_limit == "cap":
            yield f"only a declarer can finish: held at {now}"
        elif self.rules.defender_limit == "skip":
            yield f"only a declarer can finish: stays at {had}"

    def _on_barrel(self, deal: Deal, seat: int, due: int, before: Standing) -> Iterable[str]:
        barrel = self.rules.barrel
        assert barrel is not None
        had, now = before.totals[seat], self.standing.totals[seat]
        attempts = self.standing.attempts[seat]
        if seat != deal.declarer:
            yield "on the barrel: only a made contract counts" if due else "on the barrel"
        elif due > 0 and now < min(had + due, self.rules.target):
            wants = f"a contract of {barrel.min_contract}" if barrel.min_contract else ""
            wants += " with " * bool(wants) * barrel.needs_marriage + "a marriage" * barrel.needs_marriage
            yield f"on the barrel it takes {wants} to finish" if wants else "on the barrel"
        elif due <= 0 and barrel.attempts is not None:
            yield "on the barrel: a failure costs nothing at once"
        else:
            yield "finishes from the barrel" if now >= self.rules.target else "on the barrel"
        if barrel.attempts is None:
            if now < barrel.threshold:
                yield "leaves the barrel"
            return
        if seat == deal.sitter or now >= self.rules.target:
            return
        if attempts:
            yield f"attempt {attempts} of {barrel.attempts}"
        elif self.standing.falls[seat] == 0 and now == 0:
            yield f"{ORDINALS[before.falls[seat] + 1]} fall: back to 0"
        elif now < had:
            yield f"attempt {barrel.attempts} of {barrel.attempts}: falls from the barrel by {had - now}"

    def _bolts(self, deal: Deal, seat: int, before: Standing) -> Iterable[str]:
        had, now, most = before.bolts[seat], self.standing.bolts[seat], self.rules.bolts
        if now > had:
            yield f"bolt {now} of {most}"
        elif had == most - 1 and now == 0 and not self._counts_as_outcome(deal, seat):
            yield f"bolt {most} of {most}: −120"

    def _counts_as_outcome(self, deal: Deal, seat: int) -> bool:
        """Whether the seat's bolts were cleared by an outcome of its own, not by the last one's price (R32)."""
        played_out = not deal.conceded and not deal.claimed
        return seat == deal.declarer or not played_out or self.scoring.rounded(deal.points[seat]) != 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
