"""A record as a page shows it: each deal played again through the engine, in cards, tables and words.

Pure: a record goes in, frozen values come out. Raises RecordError for a record the engine disagrees with.
Seats are numbers from 0, deals and tricks count from 1, as in the links ``#d3``, ``#d3t5``, ``#d3t5s1``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine import RuleSet
from engine.cards import MARRIAGE_VALUE, RANK_POINTS, RANKS, SUITS, TEXT, hand_text
from engine.deal import ACES_SHOWN, Deal
from engine.record import replay
from games.deal_words import Bookkeeper, ResultRow
from games.faces import SUIT_WORDS, Card, cards, short
from games.known_words import gettext as _
from games.replay_chart import Chart, Mark, Outcome, chart, strip
from games.table_words import MARRIAGES

POINTS: Final = dict(zip(RANKS, RANK_POINTS, strict=True))


@dataclass(frozen=True)
class Played:
    """A card in a trick: whether it leads, takes the trick, melds."""

    seat: int
    card: Card
    leads: bool
    wins: bool
    melds: bool


@dataclass(frozen=True)
class TrickRow:
    """One trick, its ``cells`` by seat of the match (None for a seat that did not play to it).

    ``trump`` is a card of the trump suit or None; ``own`` is what the declarer has after the trick and ``needed`` what he
    lacks, both None without a contract; ``drawn`` are cards taken from the stock, the winner's first.
    """

    number: int
    cells: tuple[Played | None, ...]
    winner: int
    points: int
    trump: Card | None
    melds: tuple[str, ...]
    own: int | None
    needed: int | None
    drawn: tuple[tuple[int, Card], ...]


@dataclass(frozen=True)
class HandRow:
    """A seat's dealt hand and what came and went before the play."""

    seat: int
    role: str
    cards: tuple[Card, ...]
    received: tuple[Card, ...]
    gone: tuple[Card, ...]


@dataclass(frozen=True)
class DealPage:
    """One deal of a match, ready to be shown.

    ``kind`` are the badges (void, golden, dark, conceded, claimed; ``outcome.html`` has the words); ``auction`` has a
    row a round and a cell a seat of the match ("" where it says nothing).
    """

    number: int
    dealer: int
    sitter: int | None
    declarer: int | None
    bid: int | None
    contract: int | None
    made: bool | None
    kind: tuple[str, ...]
    hands: tuple[HandRow, ...]
    talons: tuple[tuple[tuple[Card, ...], str], ...]
    stock: tuple[Card, ...]
    auction: tuple[tuple[str, ...], ...]
    exchange: tuple[str, ...]
    tricks: tuple[TrickRow, ...]
    points: tuple[int, ...]
    scores: tuple[int, ...]
    totals: tuple[int, ...]
    words: tuple[str, ...]
    results: tuple[ResultRow, ...]


@dataclass(frozen=True)
class MatchPage:
    """A whole match: its deals, the line chart of the totals and the strip above it; ``reason`` is target or deal_limit."""

    seats: tuple[str, ...]
    rules: RuleSet
    deals: tuple[DealPage, ...]
    chart: Chart
    strip: tuple[Mark, ...]
    reason: str


def match_page(record: Mapping[str, Any]) -> MatchPage:
    """Play ``record`` again and lay it out."""
    names = tuple(str(seat["name"]) for seat in record["seats"])
    rules = RuleSet.from_json(record["rules"])
    game = None
    for step in replay(record):
        game = step.game
    finished = game.finished if game is not None else []
    teller = _Teller(rules, names)
    deals = tuple(teller.deal(ended[0], record["deals"][number]) for number, ended in enumerate(finished))
    reason = record["result"]["reason"] if record["result"] else ""
    return MatchPage(
        seats=names,
        rules=rules,
        deals=deals,
        chart=chart(rules, [deal.totals for deal in deals], len(names)),
        strip=tuple(
            strip([Outcome(deal.declarer, deal.contract or deal.bid, deal.made) for deal in deals], names)
        ),
        reason=reason,
    )


class _Teller:
    """Lays out the deals of one match, in their order: needs its rules and the names at the table."""

    def __init__(self, rules: RuleSet, names: Sequence[str]) -> None:
        self.rules = rules
        self.names = names
        self.book = Bookkeeper(rules, names)

    def deal(self, deal: Deal, written: Mapping[str, Any]) -> DealPage:
        settled = not deal.void and deal.declarer >= 0
        contract = written["contract"]
        words, results = self.book.explain(deal, written)
        return DealPage(
            number=deal.number + 1,
            dealer=deal.dealer,
            sitter=deal.sitter if deal.sitter >= 0 else None,
            declarer=deal.declarer if settled else None,
            bid=deal.bid or None,
            contract=contract,
            made=None if not settled or contract is None else deal.points[deal.declarer] >= contract,
            kind=_kind(deal),
            hands=tuple(_hand(deal, seat) for seat in deal.active),
            talons=tuple(_talons(deal)),
            stock=cards(TEXT[card] for card in deal.stock),
            auction=tuple(_auction(deal, len(self.names), self.rules.dark_bid)),
            exchange=tuple(self._exchange(deal)),
            tricks=tuple(self._tricks(deal, contract)),
            points=tuple(written["points"]),
            scores=tuple(written["scores"]),
            totals=tuple(written["totals"]),
            words=words,
            results=results,
        )

    def _exchange(self, deal: Deal) -> Iterable[str]:
        """What happened besides the auction and before the play, in words."""
        who = self.names[deal.declarer] if deal.declarer >= 0 else ""
        for seat, action in deal.actions:
            if action == "keep":
                yield _("%(name)s could ask for a new deal and plays on") % {"name": self.names[seat]}
        for seat, shown in deal.shown:
            marriage = str(MARRIAGES["A" if shown == ACES_SHOWN else SUITS[shown]])
            yield _("%(name)s had to show for the bid: %(marriage)s") % {
                "name": self.names[seat],
                "marriage": marriage,
            }
        if deal.compulsory and deal.declarer >= 0:
            yield _("The compulsory %(bid)d was left standing") % {"bid": deal.bid}
        for seat, card in deal.given:
            values = {"name": who, "card": short([TEXT[card]]), "receiver": self.names[seat]}
            yield _("%(name)s gives %(card)s to %(receiver)s") % values
        if deal.discarded:
            yield _("%(name)s puts away %(cards)s") % {"name": who, "cards": short(hand_text(deal.discarded))}
        if deal.contract:
            plays = {"name": who, "contract": deal.contract, "bid": deal.bid}
            if deal.contract == deal.bid:
                yield _("%(name)s plays %(contract)d") % plays
            else:
                yield _("%(name)s plays %(contract)d, raised from %(bid)d") % plays

    def _tricks(self, deal: Deal, contract: int | None) -> Iterable[TrickRow]:
        if deal.play_start < 0:
            return
        moves = [(seat, action) for seat, action in deal.actions[deal.play_start :] if action != "claim"]
        width, own, trump, drawn = len(deal.active), 0, None, 0
        for number, winner in enumerate(deal.winners):
            row = moves[number * width : (number + 1) * width]
            cells: list[Played | None] = [None] * len(self.names)
            melds = []
            for place, (seat, action) in enumerate(row):
                card, melded = Card(action[5:]), action.startswith("meld:")
                cells[seat] = Played(seat, card, place == 0, seat == winner, melded)
                if melded:
                    trump, (value, meld) = card, self._meld(card, over=place > 0)
                    melds.append(f"{self.names[seat]}: {meld}")
                    own += value if seat == deal.declarer else 0
            points = sum(POINTS[action[5]] for _, action in row)
            own += points if winner == deal.declarer else 0
            draws = tuple(_draws(deal, winner, drawn))
            drawn += len(draws)
            yield TrickRow(
                number=number + 1,
                cells=tuple(cells),
                winner=winner,
                points=points,
                trump=trump,
                melds=tuple(melds),
                own=None if contract is None else own,
                needed=None if contract is None else max(0, contract - own),
                drawn=draws,
            )

    def _meld(self, card: Card, *, over: bool) -> tuple[int, str]:
        """The value of a meld and its words; ``over`` is the king on the neighbour's queen (R28)."""
        if card.text[0] == "A":
            value = self.rules.ace_marriage
            return value, _("melds four aces, %(value)d") % {"value": value}
        value = MARRIAGE_VALUE[SUITS.index(card.text[1])]
        words = {"suit": str(SUIT_WORDS[card.text[1]]), "value": value}
        if over:
            return value, _("melds %(suit)s, %(value)d, over the neighbour's queen") % words
        return value, _("melds %(suit)s, %(value)d") % words


def _hand(deal: Deal, seat: int) -> HandRow:
    declares = seat == deal.declarer
    received = hand_text(deal.talon) if declares and deal.chosen >= 0 else []
    received += [TEXT[card] for who, card in deal.given if who == seat]
    gone = [TEXT[card] for _, card in deal.given] + hand_text(deal.discarded) if declares else []
    role = _("declarer") if declares else _("forehand") if seat == deal.active[0] else ""
    return HandRow(seat, role, cards(hand_text(deal.dealt[seat])), cards(received), cards(gone))


def _kind(deal: Deal) -> tuple[str, ...]:
    words = {"void": deal.void, "golden": deal.golden, "dark": deal.dark, "conceded": deal.conceded}
    return tuple(word for word, holds in {**words, "claimed": deal.claimed}.items() if holds)


def _talons(deal: Deal) -> Iterable[tuple[tuple[Card, ...], str]]:
    for index, talon in enumerate(deal.talons):
        if index == deal.chosen:
            public = deal.talon_public or deal.face_up
            word = _("taken, seen by all") if public else _("taken, seen by the declarer alone")
        else:
            word = _("not taken") if len(deal.talons) > 1 else _("nobody took it")
        yield cards(hand_text(talon)), f"{word}, {_('face up from the start')}" if deal.face_up else word


def _auction(deal: Deal, seats: int, dark_bid: int | None) -> Iterable[tuple[str, ...]]:
    """Rounds of the auction: a new row where a seat speaks again or an earlier one follows a later one."""
    row, last = [""] * seats, -1
    for seat, action in deal.actions:
        call = _call(action, dark_bid)
        if not call:
            continue
        place = deal.active.index(seat)
        if row[seat] == _("looks"):
            row[seat] = f"{row[seat]}, {call}"
            continue
        if place <= last:
            yield tuple(row)
            row = [""] * seats
        row[seat], last = call, place
    if any(row):
        yield tuple(row)


def _call(action: str, dark_bid: int | None) -> str:
    """A word of the auction, "" for what is none."""
    if action.startswith("bid:"):
        return action[4:]
    if action == "dark":
        return _("%(bid)s dark") % {"bid": dark_bid}
    if action == "pass":
        return _("pass")
    return _("looks") if action == "look" else ""


def _draws(deal: Deal, winner: int, drawn: int) -> Iterable[tuple[int, Card]]:
    """Who takes which cards from the stock after a trick: the winner first, then clockwise."""
    seat = winner
    for card in deal.stock[drawn : drawn + len(deal.active)]:
        yield seat, Card(TEXT[card])
        seat = deal.next_seat[seat]
