"""How a deal was scored, in words: who gets what by the plain rule, and what barrel, bolts and limits made of it.

The deals are entered once more into a standing of their own by the engine's bookkeeping (rules.md section 6), so that
attempts, falls and bolts are the engine's, not a second opinion. Sentences are whole ones in the active language; what
stands in a row beside a number is put together from clauses, with semicolons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from django.utils.translation import ngettext

from engine import RuleSet
from engine.cards import NINES, hand_text, points
from engine.deal import Deal, Standing, new_standing
from engine.exchange import Conceding
from engine.scoring import Scoring, multiplier
from games.faces import short
from games.known_words import gettext as _
from games.table_words import count_points


@dataclass(frozen=True)
class ResultRow:
    """What a deal did to one seat; ``words`` say how."""

    seat: int
    points: int
    score: int
    total: int
    words: str


def _copied(standing: Standing) -> Standing:
    """A standing with lists of its own; they hold numbers."""
    values = ((field.name, getattr(standing, field.name)) for field in fields(standing))
    lists: dict[str, Any] = {name: [*value] for name, value in values if isinstance(value, list)}
    return replace(standing, **lists)


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
        before = _copied(self.standing)
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
        name = self.names[deal.declarer] if deal.declarer >= 0 else ""
        if deal.cut_payer >= 0:
            yield _("%(name)s cut three nines in a row and pays 120.") % {"name": self.names[deal.cut_payer]}
        if deal.void:
            yield self._void_reason(deal)
            yield _("The deal is void, and the same dealer deals again.")
            return
        if deal.golden:
            yield _("Golden deal: forehand plays 120 without an auction, and every score counts twice.")
        if deal.dark:
            yield _("%(name)s plays dark: every score counts twice.") % {"name": name}
        if deal.declarer < 0:
            yield _("No auction and no declarer: all score their own points.")
        if deal.conceded:
            yield _("%(name)s concedes at %(bid)d: no card is played.") % {"name": name, "bid": deal.bid}
        if deal.claimed:
            yield self._claim(name, len(deal.winners))
        if deal.leftovers and deal.winners and not deal.claimed:
            yield self._leftovers(deal)

    def _claim(self, name: str, tricks: int) -> str:
        if not tricks:
            return _(
                "%(name)s claims before the first trick: nobody can take one, and all is the declarer's."
            ) % {"name": name}
        return ngettext(
            "%(name)s claims after %(n)d trick: nobody can take another one, and the rest is the declarer's.",
            "%(name)s claims after %(n)d tricks: nobody can take another one, and the rest is the declarer's.",
            tricks,
        ) % {"name": name, "n": tricks}

    def _leftovers(self, deal: Deal) -> str:
        values = {
            "cards": short(hand_text(deal.leftovers)),
            "n": points(deal.leftovers),
            "name": self.names[deal.winners[-1]],
        }
        return (
            ngettext(
                "Put away or not taken: %(cards)s. With them %(n)d point goes to the last trick, to %(name)s.",
                "Put away or not taken: %(cards)s. With them %(n)d points go to the last trick, to %(name)s.",
                points(deal.leftovers),
            )
            % values
        )

    def _void_reason(self, deal: Deal) -> str:
        """Who gives the deal back (or has to, where the rules say so), and for which cards."""
        seat = deal.actions[-1][0]
        name, asks = self.names[seat], not self.rules.redeal_automatic
        if deal.declarer < 0:
            dealt = deal.dealt[seat]
            if dealt & NINES == NINES and self.rules.redeal_four_nines in {"dealt", "both"}:
                what = _("four nines")
            else:
                what = _("%(points)s in hand") % {"points": count_points(points(dealt))}
        elif deal.given or deal.discarded:
            what = _("four nines after the exchange")
        else:
            nines = (deal.talon & NINES).bit_count()
            what = _("a talon of %(points)s and %(nines)s") % {
                "points": count_points(points(deal.talon)),
                "nines": ngettext("%(n)d nine", "%(n)d nines", nines) % {"n": nines},
            }
        values = {"name": name, "what": what}
        return (
            _("%(name)s asks for a new deal: %(what)s.") % values
            if asks
            else _("%(name)s has %(what)s.") % values
        )

    # -- one seat ----------------------------------------------------------------------------------

    def _seat(self, deal: Deal, written: Mapping[str, Any], seat: int, before: Standing) -> str:
        cut = [_("−120 for the cut")] if seat == deal.cut_payer else []
        if deal.void:
            return "".join(cut)
        due, words = self._due(deal, written, seat)
        return "; ".join([*words, *self._limits(deal, seat, due, before), *cut])

    def _due(self, deal: Deal, written: Mapping[str, Any], seat: int) -> tuple[int, list[str]]:
        """What the seat would get by the plain rule, and the clauses for it."""
        times = multiplier(deal)
        plain, words = self._plain(deal, written, seat)
        doubled = [_("doubled")] if times > 1 and plain else []
        return plain * times, [*words, *doubled]

    def _plain(self, deal: Deal, written: Mapping[str, Any], seat: int) -> tuple[int, list[str]]:
        if seat == deal.sitter:
            bonus = self.scoring.rounded(deal.bonus)
            words = [_("sits out")]
            return bonus, [*words, _("%(bonus)d for the talon") % {"bonus": bonus}] if bonus else words
        if deal.conceded:
            if seat != deal.declarer:
                pays = self.scoring.conceding.pays(deal.bid)
                return pays, [_("%(points)d for the concession") % {"points": pays}]
            costs = self.scoring.conceding.costs(deal.bid)
            lost = _("conceded, %(points)d written off") % {"points": costs}
            return -costs, [lost] if costs else [_("conceded at no cost")]
        made_with, contract = written["points"][seat], written["contract"]
        if seat == deal.declarer and contract is not None:
            values = {"contract": contract, "points": made_with}
            if made_with >= contract:
                return contract, [_("made %(contract)d with %(points)d") % values]
            return -contract, [_("failed %(contract)d with %(points)d") % values]
        rounded = self.scoring.rounded(made_with)
        to = [_("rounded to %(points)d") % {"points": rounded}] if rounded != made_with else []
        return rounded, [", ".join([count_points(made_with), *to])]

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
            if held:
                yield _("climbs on the barrel, held at %(total)d") % {"total": now}
            else:
                yield _("climbs on the barrel")
        if self.rules.bolts and not on_barrel and seat != deal.sitter:
            yield from self._bolts(deal, seat, before)

    def _defender_limit(self, had: int, now: int) -> Iterable[str]:
        if self.rules.defender_limit == "cap":
            yield _("only a declarer can finish: held at %(total)d") % {"total": now}
        elif self.rules.defender_limit == "skip":
            yield _("only a declarer can finish: stays at %(total)d") % {"total": had}

    def _on_barrel(self, deal: Deal, seat: int, due: int, before: Standing) -> Iterable[str]:
        barrel = self.rules.barrel
        assert barrel is not None
        had, now = before.totals[seat], self.standing.totals[seat]
        attempts = self.standing.attempts[seat]
        if seat != deal.declarer:
            yield _("on the barrel: only a made contract counts") if due else _("on the barrel")
        elif due > 0 and now < min(had + due, self.rules.target):
            yield self._barrel_wants()
        elif due <= 0 and barrel.attempts is not None:
            yield _("on the barrel: a failure costs nothing at once")
        else:
            yield _("finishes from the barrel") if now >= self.rules.target else _("on the barrel")
        if barrel.attempts is None:
            if now < barrel.threshold:
                yield _("leaves the barrel")
            return
        if seat == deal.sitter or now >= self.rules.target:
            return
        if attempts:
            yield _("attempt %(number)d of %(most)d") % {"number": attempts, "most": barrel.attempts}
        elif self.standing.falls[seat] == 0 and now == 0:
            yield _("fall %(number)d from the barrel: back to 0") % {"number": before.falls[seat] + 1}
        elif now < had:
            values = {"number": barrel.attempts, "most": barrel.attempts, "points": had - now}
            yield _("attempt %(number)d of %(most)d: falls from the barrel by %(points)d") % values

    def _barrel_wants(self) -> str:
        """What a contract has to be to count on the barrel."""
        barrel = self.rules.barrel
        assert barrel is not None
        least = {"contract": barrel.min_contract}
        if barrel.min_contract and barrel.needs_marriage:
            return _("on the barrel it takes a contract of %(contract)d with a marriage to finish") % least
        if barrel.min_contract:
            return _("on the barrel it takes a contract of %(contract)d to finish") % least
        if barrel.needs_marriage:
            return _("on the barrel it takes a marriage to finish")
        return _("on the barrel")

    def _bolts(self, deal: Deal, seat: int, before: Standing) -> Iterable[str]:
        had, now, most = before.bolts[seat], self.standing.bolts[seat], self.rules.bolts
        if now > had:
            yield _("bolt %(number)d of %(most)d") % {"number": now, "most": most}
        elif had == most - 1 and now == 0 and not self._counts_as_outcome(deal, seat):
            yield _("bolt %(number)d of %(most)d: −120") % {"number": most, "most": most}

    def _counts_as_outcome(self, deal: Deal, seat: int) -> bool:
        """Whether the seat's bolts were cleared by an outcome of its own, not by the last one's price (R32)."""
        played_out = not deal.conceded and not deal.claimed
        return seat == deal.declarer or not played_out or self.scoring.rounded(deal.points[seat]) != 0
