"""How the ``counter`` plays its cards.

It knows which cards are still out, and so which of its own are masters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botapi.house import cards
from botapi.house.cards import MARRIAGE, POINTS, STRENGTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Table:
    """What the seat knows at one decision of the play."""

    def __init__(self, view: Mapping[str, Any], legal: Sequence[str]) -> None:
        self.trump: str | None = view["trump"]
        self.hand: set[str] = set(view["hand"])
        self.trick = view["trick"]
        self.opponents = cards.active_seats(view) - 1
        self.out = cards.unseen(view)
        self.plays = [action[5:] for action in legal if action.startswith("play:")]
        self.melds = [action[5:] for action in legal if action.startswith("meld:")]
        self.at_once: bool = cards.option(view, "marriage_first_trick")
        self.pairs = [suit for suit in cards.marriages(self.hand) if suit not in _melded(view)]

    def higher_out(self, card: str) -> int:
        """How many cards of its suit that are out beat ``card``."""
        return sum(other[1] == card[1] and STRENGTH[other[0]] > STRENGTH[card[0]] for other in self.out)

    def out_of(self, suit: str) -> int:
        """How many cards of a suit are out."""
        return sum(card[1] == suit for card in self.out)

    def trumps_out(self) -> int:
        """How many trumps are out."""
        return self.out_of(self.trump) if self.trump else 0

    def is_master(self, card: str) -> bool:
        """No card of its suit beats it, and it is unlikely to be trumped."""
        if self.higher_out(card):
            return False
        if card[1] == self.trump or not self.trumps_out():
            return True
        return self.out_of(card[1]) >= 2 * self.opponents


def _melded(view: Mapping[str, Any]) -> set[str]:
    """Suits melded so far, whoever melded them."""
    return {
        str(suit) for meld in view["melds"] for suit in (meld if isinstance(meld, list | tuple) else [meld])
    }


def play(view: Mapping[str, Any], legal: Sequence[str]) -> str:
    """A legal play, meld or claim."""
    if "claim" in legal:
        return "claim"
    table = Table(view, legal)
    if table.trick:
        return _follow(table)
    return _lead(table)


def _lead(table: Table) -> str:
    masters = [card for card in table.plays if table.is_master(card)]
    if table.melds and (table.at_once or len(masters) <= _masters_to_keep(table)):
        return _meld(table)
    spare = [card for card in masters if not _breaks_pair(table, card)] or masters
    if spare:
        return "play:" + max(spare, key=lambda card: (_draws_trumps(table, card), POINTS[card[0]]))
    if table.melds:
        return _meld(table)
    if table.at_once:
        return "play:" + max(table.plays, key=lambda card: _presses(table, card))
    return "play:" + min(table.plays, key=lambda card: _lead_cost(table, card))


def _draws_trumps(table: Table, card: str) -> bool:
    return card[1] == table.trump and table.trumps_out() > 0


def _presses(table: Table, card: str) -> tuple[bool, int, int]:
    """The top of the longest suit, but no pair is torn for it."""
    length = sum(other[1] == card[1] for other in table.hand)
    return not _breaks_pair(table, card), length, STRENGTH[card[0]]


def _masters_to_keep(table: Table) -> int:
    """Masters to keep back where marriages wait for a trick.

    Before the first trump every master takes a trick, but each further marriage needs one to come back in.
    (Where a marriage may be melded at once, melding first did better in every trial.)
    """
    if table.trump is not None:
        return len(table.hand)
    return len(table.pairs) - 1


def _meld(table: Table) -> str:
    """The dearest marriage.

    With the king where it takes the trick, else with the queen; an ace marriage first of all.
    """
    return "meld:" + max(
        table.melds,
        key=lambda card: (
            card[0] == "A",
            MARRIAGE[card[1]],
            (card[0] == "K") == (table.higher_out(card) == 0),
        ),
    )


def _breaks_pair(table: Table, card: str) -> bool:
    return card[0] in "KQ" and card[1] in table.pairs


def _lead_cost(table: Table, card: str) -> float:
    """What leading a card that is no master is likely to lose."""
    cost = float(POINTS[card[0]])
    if _breaks_pair(table, card):
        cost += MARRIAGE[card[1]] / 2
    if card[1] == table.trump:
        cost += 4
    suit = [other for other in table.hand if other[1] == card[1]]
    if "T" + card[1] in table.hand and len(suit) == 2:
        cost += 3
    return cost - 0.5 * len(suit)


def _follow(table: Table) -> str:
    if table.melds:
        return "meld:" + max(table.melds, key=lambda card: MARRIAGE[card[1]])
    _, best = cards.winning(table.trick, table.trump)
    last = len(table.trick) == table.opponents
    takers = [card for card in table.plays if cards.beats(card, best, table.trump)]
    sure = [card for card in takers if last or _holds(table, card)]
    if sure:
        return "play:" + max(sure, key=lambda card: _taking_value(table, card, last=last))
    return "play:" + min(table.plays, key=lambda card: _throw_cost(table, card))


def _holds(table: Table, card: str) -> bool:
    """Whether ``card`` will probably still be winning after those who play after."""
    led = table.trick[0][1][1]
    if table.higher_out(card):
        return False
    return card[1] == table.trump or not table.trumps_out() or table.out_of(led) >= 2 * table.opponents


def _taking_value(table: Table, card: str, *, last: bool) -> float:
    """Bring home points that would not take a trick later; keep masters, trumps and pairs."""
    value = float(POINTS[card[0]])
    if card[1] == table.trump:
        value -= 8 + STRENGTH[card[0]]
    if _breaks_pair(table, card):
        value -= MARRIAGE[card[1]] / 2
    if last and table.higher_out(card) == 0:
        value -= 6
    return value


def _throw_cost(table: Table, card: str) -> float:
    """What giving a card away costs: its points, what it might still win, a pair, a guard."""
    rank, suit = card[0], card[1]
    cost = float(POINTS[rank])
    if _breaks_pair(table, card):
        cost += MARRIAGE[suit] / 2
    if suit == table.trump:
        cost += 5
    if table.higher_out(card) == 0 and rank != "9":
        cost += 8
    held = [other for other in table.hand if other[1] == suit]
    if len(held) == 2 and "T" + suit in held and rank != "T" and table.out_of(suit):
        cost += 4
    return cost
