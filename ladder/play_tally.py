"""How a bot plays, in counts: places by seat, scores, contracts. Pure: from records to numbers that can be added to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

BIN: Final = 100
"""Width of a bar of the scores, in points."""


@dataclass(slots=True)
class Contracts:
    """Deals declared at one contract: how many, how many made, and the declarer's unrounded points in them all."""

    declared: int = 0
    made: int = 0
    points: int = 0

    @property
    def mean(self) -> float:
        """Points of the declarer in a deal; of one deal at least."""
        return self.points / self.declared

    @property
    def percent(self) -> float:
        """Contracts made, in percent of those declared."""
        return 100 * self.made / self.declared


@dataclass(slots=True)
class PlayTally:
    """Counts over matches: ``places[seat][place - 1]``, ``scores`` by the lower end of their bar, ``contracts`` by size."""

    places: dict[int, Counter[int]] = field(default_factory=dict)
    scores: Counter[int] = field(default_factory=Counter)
    contracts: dict[int, Contracts] = field(default_factory=dict)

    @property
    def matches(self) -> int:
        """How many matches are counted."""
        return sum(self.scores.values())

    def add_match(self, seat: int, place: int, total: int, *, times: int = 1) -> None:
        """Count where a match ended (``times=-1`` takes it back)."""
        self.places.setdefault(seat, Counter())[place] += times
        self.scores[total // BIN * BIN] += times

    def add_deals(self, seat: int, record: Mapping[str, Any], *, times: int = 1) -> None:
        """Count the contracts of a seat in a record of a match."""
        for deal in record["deals"]:
            if deal["declarer"] != seat or deal["contract"] is None:
                continue
            of_size = self.contracts.setdefault(deal["contract"], Contracts())
            of_size.declared += times
            of_size.made += times * (deal["points"][seat] >= deal["contract"])
            of_size.points += times * deal["points"][seat]

    def add(self, other: PlayTally, *, times: int = 1) -> None:
        """Count what another tally counted, once or so many times."""
        for seat, places in other.places.items():
            mine = self.places.setdefault(seat, Counter())
            for place, count in places.items():
                mine[place] += times * count
        for score, count in other.scores.items():
            self.scores[score] += times * count
        for size, theirs in other.contracts.items():
            of_size = self.contracts.setdefault(size, Contracts())
            of_size.declared += times * theirs.declared
            of_size.made += times * theirs.made
            of_size.points += times * theirs.points

    def to_json(self) -> dict[str, Any]:
        """What is stored; without what came to nothing."""
        return {
            "places": {seat: dict(+places) for seat, places in self.places.items() if +places},
            "scores": dict(+self.scores),
            "contracts": {
                size: [one.declared, one.made, one.points]
                for size, one in self.contracts.items()
                if one.declared
            },
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> PlayTally:
        """The tally that was stored; an empty one of nothing."""
        tally = cls()
        for seat, places in stored.get("places", {}).items():
            tally.places[int(seat)] = Counter({int(place): count for place, count in places.items()})
        tally.scores = Counter({int(score): count for score, count in stored.get("scores", {}).items()})
        for size, counts in stored.get("contracts", {}).items():
            tally.contracts[int(size)] = Contracts(*counts)
        return tally
