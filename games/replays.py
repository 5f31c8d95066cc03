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

CALLS: Final = {"pass": "pass", "dark": "dark", "look": "looks"}
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

    ``kind`` are words for badges (void, golden, dark, conceded, claimed); ``auction`` has a row a round and a cell a
    seat of the match ("" where it says nothing).
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
class Chart:
    """Totals over the deals as SVG points in a box of 720 by 200; ``zero`` and ``target`` are two heights."""

    lines: tuple[str, ...]
    zero: float
    target: float
    target_points: int


@dataclass(frozen=True)
class MatchPage:
    """A whole match: its deals and the line chart of the totals; ``reason`` is target or deal_limit."""

    seats: tuple[str, ...]
    rules: RuleSet
    deals: tuple[DealPage, ...]
    chart: Chart
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
    return MatchPage(names, rules, deals, _chart(rules, [deal.totals for deal in deals], len(names)), reason)


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
                yield f"{self.names[seat]} could ask for a new deal and plays on"
        for seat, shown in deal.shown:
            suit = "four aces" if shown == ACES_SHOWN else f"the marriage of {SUIT_WORDS[SUITS[shown]]}"
            yield f"{self.names[seat]} had to show {suit} for the bid"
        if deal.compulsory and deal.declarer >= 0:
            yield f"The compulsory {deal.bid} was left standing"
        for seat, card in deal.given:
            yield f"{who} gives {short([TEXT[card]])} to {self.names[seat]}"
        if deal.discarded:
            yield f"{who} puts away {short(hand_text(deal.discarded))}"
        if deal.contract:
            raised = "" if deal.contract == deal.bid else f", raised from {deal.bid}"
            yield f"{who} plays {deal.contract}{raised}"

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
                    melds.append(f"{self.names[seat]} {meld}")
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
            return self.rules.ace_marriage, f"melds four aces, {self.rules.ace_marriage}"
        value, suit = MARRIAGE_VALUE[SUITS.index(card.text[1])], SUIT_WORDS[card.text[1]]
        return value, f"melds {suit}, {value}" + (", over the neighbour's queen" if over else "")


def _hand(deal: Deal, seat: int) -> HandRow:
    declares = seat == deal.declarer
    received = hand_text(deal.talon) if declares and deal.chosen >= 0 else []
    received += [TEXT[card] for who, card in deal.given if who == seat]
    gone = [TEXT[card] for _, card in deal.given] + hand_text(deal.discarded) if declares else []
    role = "declarer" if declares else "forehand" if seat == deal.active[0] else ""
    return HandRow(seat, role, cards(hand_text(deal.dealt[seat])), cards(received), cards(gone))


def _kind(deal: Deal) -> tuple[str, ...]:
    words = {"void": deal.void, "golden": deal.golden, "dark": deal.dark, "conceded": deal.conceded}
    return tuple(word for word, holds in {**words, "claimed": deal.claimed}.items() if holds)


def _talons(deal: Deal) -> Iterable[tuple[tuple[Card, ...], str]]:
    for index, talon in enumerate(deal.talons):
        if index == deal.chosen:
            seen = "all" if deal.talon_public or deal.face_up else "the declarer alone"
            word = f"taken, seen by {seen}"
        else:
            word = "not taken" if len(deal.talons) > 1 else "nobody took it"
        yield cards(hand_text(talon)), word + (", face up from the start" if deal.face_up else "")


def _auction(deal: Deal, seats: int, dark_bid: int | None) -> Iterable[tuple[str, ...]]:
    """Rounds of the auction: a new row where a seat speaks again or an earlier one follows a later one."""
    row, last = [""] * seats, -1
    for seat, action in deal.actions:
        call = action[4:] if action.startswith("bid:") else CALLS.get(action, "")
        if not call:
            continue
        if action == "dark":
            call = f"{dark_bid} dark"
        place = deal.active.index(seat)
        if row[seat] == CALLS["look"]:
            row[seat] = f"looks, {call}"
            continue
        if place <= last:
            yield tuple(row)
            row = [""] * seats
        row[seat], last = call, place
    if any(row):
        yield tuple(row)


def _draws(deal: Deal, winner: int, drawn: int) -> Iterable[tuple[int, Card]]:
    """Who takes which cards from the stock after a trick: the winner first, then clockwise."""
    seat = winner
    for card in deal.stock[drawn : drawn + len(deal.active)]:
        yield seat, Card(TEXT[card])
        seat = deal.next_seat[seat]


def _chart(rules: RuleSet, totals: Sequence[Sequence[int]], seats: int) -> Chart:
    rows = [[0] * seats, *totals]
    low = min(0, *(min(row) for row in rows))
    high = max(rules.target, *(max(row) for row in rows))
    across = 700 / max(1, len(rows) - 1)

    def height(points: int) -> float:
        return round(10 + 180 * (high - points) / (high - low), 1)

    lines = tuple(
        " ".join(f"{10 + number * across:.1f},{height(row[seat])}" for number, row in enumerate(rows))
        for seat in range(seats)
    )
    return Chart(lines, height(0), height(rules.target), rules.target)
