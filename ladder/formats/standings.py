"""Who is ahead: table points, small points, wins, Buchholz, then a lot (ratings.md, "Tournaments").

A match of m gives m-1 ... 0 table points, half for ties; a table of another size gives the same for its first
and its last place as one of the tournament's own. A match that an entrant missed through no fault of its own
(a bye, a void match, a table that lost its others) is worth the average of those it played, in each of these
sums; a missed one that was its own fault is worth nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ladder.formats.lots import Lot


@dataclass(frozen=True, slots=True)
class Outcome:
    """A match that counts: its table's number, who sat there, their places (1 is best) and totals."""

    table: int
    members: tuple[int, ...]
    places: tuple[int, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One entrant in the standings. ``rank`` is None for one that is out; matches are counted, not tables."""

    entrant: int
    rank: int | None
    points: Fraction
    small: Fraction
    wins: Fraction
    buchholz: Fraction
    played: int
    credited: int

    @property
    def matches(self) -> int:
        """Matches that brought it something."""
        return self.played + self.credited

    @property
    def average(self) -> Fraction:
        """Table points a match."""
        return self.points / self.matches if self.matches else Fraction(0)


@dataclass(slots=True)
class _Sums:
    points: Fraction = Fraction(0)
    small: int = 0
    wins: int = 0
    played: int = 0
    met: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    """Opponents by table: a table is met once, however many rotations it plays."""


def table_points(places: Sequence[int], size: int) -> list[Fraction]:
    """Table points by place where tables of ``size`` are the tournament's own."""
    behind = [
        sum(other > place for other in places) + Fraction(places.count(place) - 1, 2) for place in places
    ]
    return [count * Fraction(size - 1, len(places) - 1) for count in behind]


def standings(
    entrants: Sequence[int],
    outcomes: Iterable[Outcome],
    lot: Lot,
    *,
    size: int,
    missed: Mapping[int, int] | None = None,
    out: Collection[int] = (),
) -> list[Line]:
    """All entrants, the first one first; those that are out stand below the others, without a rank.

    ``missed``: matches missed without fault, by entrant. ``size``: of the tournament's own tables.
    """
    sums = _sums(entrants, outcomes, size)
    credited = {entrant: (missed or {}).get(entrant, 0) for entrant in entrants}
    points = {
        entrant: _with_credit(mine.points, mine.played, credited[entrant], Fraction(size - 1, 2))
        for entrant, mine in sums.items()
    }
    lines = []
    for entrant, mine in sums.items():
        opponents = sum((points[other] for others in mine.met.values() for other in others), Fraction(0))
        share = (mine.played, credited[entrant], Fraction(0))
        lines.append(
            Line(
                entrant=entrant,
                rank=None,
                points=points[entrant],
                small=_with_credit(Fraction(mine.small), *share),
                wins=_with_credit(Fraction(mine.wins), *share),
                buchholz=_with_credit(opponents, *share),
                played=mine.played,
                credited=credited[entrant],
            )
        )
    return ranked(sorted(lines, key=lambda line: _key(line, lot)), out)


def ranked(lines: Iterable[Line], out: Collection[int]) -> list[Line]:
    """Lines in their order with ranks 1, 2, ...; those that are out below the others."""
    listed = list(lines)
    inside = [line for line in listed if line.entrant not in out]
    outside = [line for line in listed if line.entrant in out]
    return [replace(line, rank=rank) for rank, line in enumerate(inside, 1)] + [
        replace(line, rank=None) for line in outside
    ]


def _sums(entrants: Iterable[int], outcomes: Iterable[Outcome], size: int) -> dict[int, _Sums]:
    sums = {entrant: _Sums() for entrant in entrants}
    for outcome in outcomes:
        gained = table_points(outcome.places, size)
        for index, entrant in enumerate(outcome.members):
            mine = sums.get(entrant)
            if mine is None:
                continue
            mine.points += gained[index]
            mine.small += outcome.totals[index]
            mine.wins += outcome.places[index] == 1 and outcome.places.count(1) == 1
            mine.played += 1
            mine.met[outcome.table] |= {
                other for other in outcome.members if other != entrant and other in sums
            }
    return sums


def _with_credit(total: Fraction, played: int, credited: int, start: Fraction) -> Fraction:
    """``total`` of the matches played, and their average for each one credited; ``start`` before the first."""
    average = total / played if played else start
    return total + credited * average


def _key(line: Line, lot: Lot) -> tuple[Fraction | int, ...]:
    return -line.points, -line.small, -line.wins, -line.buchholz, lot.number(f"tie {line.entrant}")
