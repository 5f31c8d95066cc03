"""What happened in a deal, as lines: the table's record of the deal and what is read aloud.

Pure but for translations; reads the events of a seat (engine.chronicle), which tell only what that seat may know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from engine import RuleSet
from engine.cards import RANK_POINTS, RANKS
from engine.why_play import winning
from games.faces import short
from games.table_words import card_to, count_points, said, said_by_you, spoken


@dataclass(frozen=True)
class Line:
    """One thing that happened; ``spoken`` is the same with the cards' names."""

    text: str
    seat: int | None = None

    @property
    def spoken(self) -> str:
        """For screen readers."""
        return spoken(self.text)


def moved(events: Iterable[Mapping[str, Any]]) -> int:
    """How many cards the declarer of the latest deal in ``events`` has given or put away."""
    return sum(
        1
        for event in latest(events)
        if event["event"] == "action" and event["action"].partition(":")[0] in ("give", "discard")
    )


def latest(events: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The events of the deal that began last."""
    found: list[Mapping[str, Any]] = []
    for event in events:
        if event["event"] == "deal":
            found = []
        found.append(event)
    return found


def lines(
    rules: RuleSet, names: Sequence[str], events: Iterable[Mapping[str, Any]], you: int | None
) -> tuple[Line, ...]:
    """The latest deal of ``events`` in lines, in order; they are the events of seat ``you`` (None: the public ones)."""
    return tuple(_Reader(rules, names, you).read(latest(events)))


class _Reader:
    """Reads the events of one deal: who is declarer, and how far the trick is."""

    def __init__(self, rules: RuleSet, names: Sequence[str], you: int | None) -> None:
        self.rules = rules
        self.names = names
        self.you = you
        self.order: list[int] = []
        self.given = 0
        self.trick: list[tuple[int, str]] = []
        self.trump: str | None = None

    def read(self, events: Iterable[Mapping[str, Any]]) -> Iterable[Line]:
        for event in events:
            kind = event["event"]
            if kind == "deal":
                yield from self._deal(event)
            elif kind == "action":
                yield from self._action(event["seat"], event["action"])
            elif kind == "talon":
                yield Line(self._talon(event["cards"]))
            elif kind == "draw":
                seat: Any = event.get("seat", self.you)  # the own draw names only its card
                yield Line(self._drawn(seat, event["card"]), seat)
            elif kind == "deal_end":
                yield Line(_("The deal is over."))

    def _deal(self, event: Mapping[str, Any]) -> Iterable[Line]:
        seats = len(self.names)
        order = [(event["dealer"] + step) % seats for step in range(1, seats + 1)]
        self.order = [seat for seat in order if seat != event["sitting_out"]]
        number, dealer = event["deal"] + 1, self.names[event["dealer"]]
        if event["dealer"] == self.you:
            yield Line(_("Deal %(number)s. You deal.") % {"number": number})
        else:
            yield Line(_("Deal %(number)s. Dealer: %(name)s.") % {"number": number, "name": dealer})
        if event["golden"]:
            name = self.names[self.order[0]]
            yield Line(
                _("Golden deal: no auction, every score counts twice. Declarer: %(name)s.") % {"name": name}
            )
        if event["cut"]:
            yield Line(_("Shown at the cut: %(cards)s") % {"cards": short(event["cut"])})
        if event["cut_payer"] is not None:
            yield Line(
                _("Three nines were cut. Pays 120: %(name)s.") % {"name": self.names[event["cut_payer"]]}
            )

    def _action(self, seat: int, action: str) -> Iterable[Line]:
        verb, _colon, rest = action.partition(":")
        if verb == "give":
            yield Line(self._given(seat, self._receiver(seat), rest), seat)
            self.given += 1
            return
        own = seat == self.you
        yield Line(
            said_by_you(self.rules, action) if own else self._said(seat, said(self.rules, action)), seat
        )
        if verb in ("play", "meld"):
            yield from self._played(seat, rest, melds=verb == "meld")

    def _played(self, seat: int, card: str, *, melds: bool) -> Iterable[Line]:
        self.trick.append((seat, card))
        if melds:
            self.trump = card[1]
        if len(self.trick) < len(self.order):
            return
        best = winning(self.trick, self.trump)
        winner = next(who for who, played in self.trick if played == best)
        points = sum(RANK_POINTS[RANKS.index(played[0])] for _who, played in self.trick)
        self.trick = []
        words = _("You take the trick: %(points)s.")
        if winner != self.you:
            words = _("Trick: %(name)s, %(points)s.")
        yield Line(words % {"name": self.names[winner], "points": count_points(points)}, winner)

    def _receiver(self, giver: int) -> int:
        following = self.order.index(giver) + 1 + self.given
        return self.order[following % len(self.order)]

    def _talon(self, cards: Sequence[str] | None) -> str:
        if cards is None:
            return _("The declarer takes the talon unseen.")
        return _("Talon: %(cards)s") % {"cards": short(cards)}

    def _given(self, giver: int, receiver: int, card: str) -> str:
        if giver == self.you:
            words = _("You give %(card)s. To: %(name)s.")
            return words % {"card": short([card]), "name": self.names[receiver]}
        if receiver == self.you:
            return _("You get %(card)s. From: %(name)s.") % {"card": short([card]), "name": self.names[giver]}
        return card_to(self.names[giver], self.names[receiver], card)

    def _drawn(self, seat: int, card: str | None) -> str:
        if seat == self.you and card is not None:
            return _("You draw %(card)s") % {"card": short([card])}
        return self._said(seat, _("draws %(card)s") % {"card": short([card])} if card else _("draws a card"))

    def _said(self, seat: int, what: str) -> str:
        return _("%(name)s: %(what)s") % {"name": self.names[seat], "what": what}
