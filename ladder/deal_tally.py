"""Counts of dealt cards: pure, from the decks of records to numbers that can be stored and added to.

A deck is counted as it was dealt, whether the deal was played or void. Places are those of the deck: the hands
from forehand on, then each talon, then the stock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from engine import RuleSet
from engine.cards import NINES, NUMBER, PACK, marriages, mask_of, points
from engine.dealing import Dealing, Redeal
from engine.hand_limits import HandLimits

MARRIAGES = ("marriage_s", "marriage_c", "marriage_d", "marriage_h")
FIGURES = (*MARRIAGES, "with_marriage", "four_nines", "entitled")
"""What is counted of a deck: how many of its hands hold that."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the deck: its ``name`` (forehand, second, third, fourth, talon, talon 2, stock) and size."""

    name: str
    size: int

    @property
    def is_hand(self) -> bool:
        """Whether somebody holds these cards, in his hand."""
        return not self.name.startswith(("talon", "stock"))


@dataclass(slots=True)
class Sum:
    """How many, their sum, and the sum of their squares."""

    number: int = 0
    total: int = 0
    squares: int = 0

    def add(self, value: int) -> None:
        """Count one more."""
        self.number += 1
        self.total += value
        self.squares += value * value


def _sums(count: int) -> list[Sum]:
    return [Sum() for _ in range(count)]


@dataclass(slots=True)
class Tally:
    """What was counted: ``cards[place][card]``, figures a deck, card points by place and by seat."""

    cards: list[list[int]]
    by_place: list[Sum]
    by_seat: list[Sum]
    figures: dict[str, Sum] = field(default_factory=lambda: {name: Sum() for name in FIGURES})
    matches: int = 0
    decks: int = 0
    void: int = 0

    @classmethod
    def empty(cls, rules: RuleSet) -> Tally:
        """Nothing counted yet."""
        found = places(rules)
        held = sum(place.is_hand for place in found)
        return cls([[0] * PACK for _ in found], _sums(held), _sums(rules.players))

    def to_json(self) -> dict[str, Any]:
        """As it is stored."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Tally:
        """As it was stored."""
        return cls(
            cards=[list(row) for row in stored["cards"]],
            by_place=[Sum(**row) for row in stored["by_place"]],
            by_seat=[Sum(**row) for row in stored["by_seat"]],
            figures={name: Sum(**stored["figures"][name]) for name in FIGURES},
            matches=stored["matches"],
            decks=stored["decks"],
            void=stored["void"],
        )


def places(rules: RuleSet) -> tuple[Place, ...]:
    """Where the cards of a deck go under ``rules``, in dealing order."""
    active = rules.players - rules.dealer_sits_out
    found = [Place(name, rules.hand_size) for name in ("forehand", "second", "third", "fourth")[:active]]
    found += [Place("talon" if n == 0 else f"talon {n + 1}", size) for n, size in enumerate(rules.talons)]
    rest = PACK - sum(place.size for place in found)
    return (*found, Place("stock", rest)) if rest else tuple(found)


class Counter:
    """Counts the decks of records of one rule set into a tally."""

    def __init__(self, rules: RuleSet, tally: Tally) -> None:
        self.tally = tally
        self._places = places(rules)
        self._seatings = Dealing(rules).seatings
        self._redeal = Redeal(rules, HandLimits(rules))

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a match."""
        self.tally.matches += 1
        for deal in record["deals"]:
            self._deck([NUMBER[text] for text in deal["deck"]], deal["dealer"])
            self.tally.void += deal["void"]

    def _deck(self, deck: list[int], dealer: int) -> None:
        tally, position = self.tally, 0
        tally.decks += 1
        seats = self._seatings[dealer][1]
        held = dict.fromkeys(FIGURES, 0)
        for index, place in enumerate(self._places):
            cards = deck[position : position + place.size]
            position += place.size
            for card in cards:
                tally.cards[index][card] += 1
            if place.is_hand:
                hand = mask_of(cards)
                tally.by_place[index].add(points(hand))
                tally.by_seat[seats[index]].add(points(hand))
                self._hand(hand, held)
        for name, value in held.items():
            tally.figures[name].add(value)

    def _hand(self, hand: int, held: dict[str, int]) -> None:
        pairs = marriages(hand)
        for suit, name in enumerate(MARRIAGES):
            held[name] += pairs >> suit & 1
        held["with_marriage"] += pairs > 0
        held["four_nines"] += hand & NINES == NINES
        held["entitled"] += self._redeal.entitled_dealt(hand)
