"""A record as a page shows it: each deal played again through the engine, in cards, tables and words.

Pure: a record goes in, frozen values come out. Raises RecordError for a record the engine disagrees with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine import RuleSet
from engine.cards import TEXT, hand_text
from engine.deal import Deal
from engine.exchange import Conceding
from engine.record import replay
from engine.scoring import Scoring

SYMBOLS: Final = {"S": "♠", "C": "♣", "D": "♦", "H": "♥"}
SUIT_WORDS: Final = {"S": "spades", "C": "clubs", "D": "diamonds", "H": "hearts", "A": "four aces"}
POINTS: Final = {"9": 0, "J": 2, "Q": 3, "K": 4, "T": 10, "A": 11}


@dataclass(frozen=True)
class Card:
    """A card face: ``rank`` as shown (10 for T), the suit's letter for style and its sign."""

    text: str

    @property
    def rank(self) -> str:
        """The rank as people write it."""
        return "10" if self.text[0] == "T" else self.text[0]

    @property
    def suit(self) -> str:
        """The suit's letter, lower case, a CSS class."""
        return self.text[1].lower()

    @property
    def sign(self) -> str:
        """♠ ♣ ♦ ♥."""
        return SYMBOLS[self.text[1]]

    @property
    def name(self) -> str:
        """For screen readers: "10 of hearts"."""
        return f"{self.rank} of {SUIT_WORDS[self.text[1]]}"


@dataclass(frozen=True)
class Played:
    """A card in a trick: whether it leads, takes the trick, melds."""

    card: Card
    leads: bool
    wins: bool
    melds: bool


@dataclass(frozen=True)
class TrickRow:
    """One trick, its ``cells`` by seat of the match (None for a seat that does not play).

    ``needed`` is what the declarer lacks after it, None without a contract.
    """

    number: int
    cells: tuple[Played | None, ...]
    winner: int
    points: int
    trump: str
    melds: tuple[str, ...]
    needed: int | None


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
    """One deal of a match, ready to be shown."""

    number: int
    dealer: int
    sitter: int | None
    declarer: int | None
    bid: int | None
    contract: int | None
    made: bool | None
    kind: tuple[str, ...]
    """Words for badges: void, golden, dark, conceded, claimed."""
    hands: tuple[HandRow, ...]
    talons: tuple[tuple[tuple[Card, ...], str], ...]
    stock: tuple[Card, ...]
    auction: tuple[tuple[int, str], ...]
    exchange: tuple[str, ...]
    tricks: tuple[TrickRow, ...]
    points: tuple[int, ...]
    scores: tuple[int, ...]
    totals: tuple[int, ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class MatchPage:
    """A whole match: its deals and the line chart of the totals."""

    seats: tuple[str, ...]
    rules: RuleSet
    deals: tuple[DealPage, ...]
    chart: Chart


@dataclass(frozen=True)
class Chart:
    """Totals over the deals as SVG points in a box of 720 by 200; ``zero`` and ``target`` are two heights."""

    lines: tuple[str, ...]
    zero: float
    target: float
    target_points: int


def match_page(record: Mapping[str, Any]) -> MatchPage:
    """Play ``record`` again and lay it out."""
    names = tuple(str(seat["name"]) for seat in record["seats"])
    rules = RuleSet.from_json(record["rules"])
    game = None
    for step in replay(record):
        game = step.game
    finished = game.finished if game is not None else []
    teller = _Teller(rules, names)
    deals = tuple(
        teller.deal(deal, scores, totals, record["deals"][number])
        for number, (deal, scores, totals) in enumerate(finished)
    )
    return MatchPage(names, rules, deals, _chart(rules, [deal.totals for deal in deals], len(names)))


class _Teller:
    """Lays out the deals of one match: needs its rules and the names at the table."""

    def __init__(self, rules: RuleSet, names: Sequence[str]) -> None:
        self.rules = rules
        self.names = names
        self.scoring = Scoring(rules, Conceding(rules))

    def deal(
        self, deal: Deal, scores: Sequence[int], totals: Sequence[int], written: Mapping[str, Any]
    ) -> DealPage:
        settled = not deal.void and deal.declarer >= 0
        contract = written["contract"]
        made = None if not settled or contract is None else deal.points[deal.declarer] >= contract
        return DealPage(
            number=deal.number + 1,
            dealer=deal.dealer,
            sitter=deal.sitter if deal.sitter >= 0 else None,
            declarer=deal.declarer if settled else None,
            bid=deal.bid or None,
            contract=contract,
            made=made,
            kind=_kind(deal),
            hands=tuple(self._hand(deal, seat) for seat in deal.active),
            talons=tuple(_talons(deal)),
            stock=tuple(Card(TEXT[card]) for card in deal.stock),
            auction=tuple(_auction(deal)),
            exchange=tuple(self._exchange(deal)),
            tricks=tuple(self._tricks(deal, contract)),
            points=tuple(written["points"]),
            scores=tuple(scores),
            totals=tuple(totals),
            words=tuple(self._words(deal, written, totals)),
        )

    def _hand(self, deal: Deal, seat: int) -> HandRow:
        declares = seat == deal.declarer
        received = hand_text(deal.talon) if declares and deal.chosen >= 0 else []
        received += [TEXT[card] for who, card in deal.given if who == seat]
        gone = [TEXT[card] for _, card in deal.given] + hand_text(deal.discarded) if declares else []
        role = "declarer" if declares else "forehand" if seat == deal.active[0] else ""
        return HandRow(seat, role, _cards(hand_text(deal.dealt[seat])), _cards(received), _cards(gone))

    def _exchange(self, deal: Deal) -> Iterable[str]:
        who = self.names[deal.declarer] if deal.declarer >= 0 else ""
        for seat, card in deal.given:
            yield f"{who} gives {_short(TEXT[card])} to {self.names[seat]}"
        if deal.discarded:
            yield f"{who} discards {' '.join(_short(card) for card in hand_text(deal.discarded))}"
        if deal.conceded:
            yield f"{who} concedes at {deal.bid}"
        elif deal.contract:
            yield f"{who} plays {deal.contract}"
        for seat, suit in deal.shown:
            yield f"{self.names[seat]} had to show the marriage of {SUIT_WORDS['SCDHA'[suit]]}"

    def _tricks(self, deal: Deal, contract: int | None) -> Iterable[TrickRow]:
        if deal.play_start < 0:
            return
        moves = [(seat, action) for seat, action in deal.actions[deal.play_start :] if action != "claim"]
        width, own, trump = len(deal.active), 0, ""
        for number, winner in enumerate(deal.winners):
            row = moves[number * width : (number + 1) * width]
            cells: list[Played | None] = [None] * len(self.names)
            melds = []
            for place, (seat, action) in enumerate(row):
                card, melded = Card(action[5:]), action.startswith("meld:")
                cells[seat] = Played(card, place == 0, seat == winner, melded)
                if melded:
                    trump = card.sign
                    value = self._meld_value(card)
                    melds.append(f"{self.names[seat]} melds {value}")
                    own += value if seat == deal.declarer else 0
            points = sum(POINTS[action[5]] for _, action in row)
            own += points if winner == deal.declarer else 0
            needed = None if contract is None else max(0, contract - own)
            yield TrickRow(number + 1, tuple(cells), winner, points, trump, tuple(melds), needed)

    def _meld_value(self, card: Card) -> int:
        if card.text[0] == "A":
            return self.rules.ace_marriage
        return {"S": 40, "C": 60, "D": 80, "H": 100}[card.text[1]]

    def _words(self, deal: Deal, written: Mapping[str, Any], totals: Sequence[int]) -> Iterable[str]:
        if deal.cut_payer >= 0:
            yield f"{self.names[deal.cut_payer]} cut three nines in a row: −120"
        if deal.void:
            yield "The deal is void; the same dealer deals again."
            return
        if deal.claimed:
            yield f"{self.names[deal.declarer]} claims: nobody can take another trick."
        if multiplier := _multiplier_word(deal):
            yield multiplier
        for seat, name in enumerate(self.names):
            yield f"{name}: {self._seat_words(deal, written, seat)}; total {_signed(totals[seat], plus='')}"

    def _seat_words(self, deal: Deal, written: Mapping[str, Any], seat: int) -> str:
        score, points = written["scores"][seat], written["points"][seat]
        due, words = self._due(deal, written, seat, points)
        if seat == deal.cut_payer:
            due -= 120
        if score == due:
            return f"{words}, {_signed(score)}"
        return f"{words}, but {_signed(score)} ({self._why(deal, seat, score - due)})"

    def _due(self, deal: Deal, written: Mapping[str, Any], seat: int, points: int) -> tuple[int, str]:
        """What the seat would get by the plain rule, and the words for it."""
        times = 2 if deal.dark or deal.golden else 1
        if seat == deal.sitter:
            bonus = self.scoring.rounded(deal.bonus) * times
            return bonus, f"sits out, {bonus} for the talon" if bonus else "sits out"
        if deal.conceded:
            if seat != deal.declarer:
                pays = self.scoring.conceding.pays(deal.bid) * times
                return pays, f"gets {pays} for the concession"
            rule = self.rules.concession
            costs = -deal.bid * times if rule is not None and rule.costs_bid else 0
            return costs, f"concedes at {deal.bid}"
        contract = written["contract"]
        if seat == deal.declarer and contract is not None:
            verb = "makes" if points >= contract else "fails"
            return (
                contract if points >= contract else -contract
            ) * times, f"{verb} {contract} with {points} points"
        rounded = self.scoring.rounded(points)
        words = f"{points} points" + (f", rounded to {rounded}" if rounded != points else "")
        return rounded * times, words

    def _why(self, deal: Deal, seat: int, difference: int) -> str:
        before = deal.before[seat] - (120 if seat == deal.cut_payer else 0)
        if self.scoring.on_barrel(before):
            return "on the barrel"
        barrel = self.rules.barrel
        if barrel is not None and barrel.clamp and difference < 0 and difference != -120:
            return f"climbs on the barrel at {barrel.threshold}"
        if difference == -120 and self.rules.bolts:
            return f"{self.rules.bolts} bolts in a row cost 120"
        return f"a defender stays below {self.rules.target}"


def _kind(deal: Deal) -> tuple[str, ...]:
    words = {"void": deal.void, "golden": deal.golden, "dark": deal.dark, "conceded": deal.conceded}
    return tuple(word for word, holds in {**words, "claimed": deal.claimed}.items() if holds)


def _multiplier_word(deal: Deal) -> str:
    if deal.golden:
        return "A golden deal: every score counts twice."
    return "Played dark: every score counts twice." if deal.dark else ""


def _talons(deal: Deal) -> Iterable[tuple[tuple[Card, ...], str]]:
    for index, talon in enumerate(deal.talons):
        if index == deal.chosen:
            word = (
                "taken, seen by all"
                if deal.talon_public or deal.face_up
                else "taken, seen by the declarer alone"
            )
        else:
            word = "not taken" if len(deal.talons) > 1 or deal.void else "nobody took it"
        yield _cards(hand_text(talon)), word


def _auction(deal: Deal) -> Iterable[tuple[int, str]]:
    for seat, action in deal.actions:
        if action in {"pass", "dark", "look", "redeal", "keep"}:
            yield seat, action
        elif action.startswith("bid:"):
            yield seat, action[4:]


def _cards(texts: Iterable[str]) -> tuple[Card, ...]:
    return tuple(Card(text) for text in texts)


def _short(text: str) -> str:
    card = Card(text)
    return card.rank + card.sign


def _signed(value: int, plus: str = "+") -> str:
    return f"{plus}{value}" if value > 0 else f"−{-value}" if value < 0 else "0"


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
