"""What was counted of a season's deals beside what fair cards give: frozen lines and an SVG chart for the page."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from engine import RuleSet
from engine.cards import PACK, TEXT
from ladder import deal_odds as odds
from ladder.deal_tally import MARRIAGES, Place, Sum, Tally, places

FEWEST: Final = 5
"""Below so many expected cases a p-value says nothing."""
WIDTH: Final = 720
HEIGHT: Final = 220
LEFT: Final = 40
TOP: Final = 12
BOTTOM: Final = 24


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: what was ``seen`` and is ``expected`` in all decks (for points: on average in a hand).

    ``z`` is the difference in standard deviations and ``p`` the chance of one as large; None where there are
    too few to say.
    """

    key: str
    seen: float
    expected: float
    z: float | None
    p: float | None


@dataclass(frozen=True, slots=True)
class CardRow:
    """One card: how often it fell to each place, with the difference in standard deviations."""

    card: str
    cells: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of the chart: ``place`` is the index of its place, ``across`` and ``down`` are pixels."""

    across: float
    down: float
    place: int


@dataclass(frozen=True, slots=True)
class Frame:
    """Size and edges of the chart in pixels."""

    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - 10
    bottom: int = HEIGHT - 6


@dataclass(frozen=True, slots=True)
class DealReport:
    """A season's deals. ``chi_square`` and ``p`` are of all cards and places together; ``worst`` is the largest |z|."""

    matches: int
    decks: int
    void: int
    places: tuple[Place, ...]
    expected: tuple[float, ...]
    rows: tuple[CardRow, ...]
    chi_square: float
    degrees: int
    p: float | None
    worst: float
    figures: tuple[Figure, ...]
    points_by_place: tuple[Figure, ...]
    points_by_seat: tuple[Figure, ...]
    dots: tuple[Dot, ...]
    marks: tuple[tuple[float, int], ...]
    labels: tuple[tuple[float, str], ...]
    frame: Frame = Frame()


def report(rules: RuleSet, tally: Tally) -> DealReport:
    """The report of what was counted under ``rules``."""
    found = places(rules)
    value, degrees = odds.chi_square(tally.cards, [place.size for place in found])
    rows = tuple(
        CardRow(
            TEXT[card],
            tuple(
                (tally.cards[index][card], odds.cell_z(tally.cards[index][card], tally.decks, place.size))
                for index, place in enumerate(found)
            ),
        )
        for card in range(PACK)
    )
    worst = odds.greatest(z for row in rows for _, z in row.cells)
    limit = max(4.0, abs(worst))
    return DealReport(
        matches=tally.matches,
        decks=tally.decks,
        void=tally.void,
        places=found,
        expected=tuple(tally.decks * place.size / PACK for place in found),
        rows=rows,
        chi_square=value,
        degrees=degrees,
        p=odds.chi_square_p(value, degrees) if _enough(tally, found) else None,
        worst=worst,
        figures=tuple(_figures(rules, tally)),
        points_by_place=_points(rules, [place.name for place in found if place.is_hand], tally.by_place),
        points_by_seat=_points(rules, [str(seat) for seat in range(rules.players)], tally.by_seat),
        dots=tuple(
            Dot(_across(card), _down(z, limit), index)
            for card, row in enumerate(rows)
            for index, (_, z) in enumerate(row.cells)
            if tally.decks
        ),
        marks=tuple((_down(z, limit), z) for z in (-3, -2, 0, 2, 3)),
        labels=tuple((_across(card), TEXT[card]) for card in range(PACK)),
    )


def _enough(tally: Tally, found: tuple[Place, ...]) -> bool:
    return tally.decks * min(place.size for place in found) / PACK >= FEWEST


def _figures(rules: RuleSet, tally: Tally) -> list[Figure]:
    size, held = rules.hand_size, rules.players - rules.dealer_sits_out
    chances = dict.fromkeys(MARRIAGES, odds.holds(size, 2)) | {
        "with_marriage": odds.some_marriage(size),
        "four_nines": odds.holds(size, 4),
        "entitled": odds.entitled(rules),
    }
    found = []
    for key, chance in chances.items():
        row, expected = tally.figures[key], held * chance
        z = _z(row, expected) if row.number * expected >= FEWEST else None
        found.append(Figure(key, row.total, float(row.number * expected), z, _p(z)))
    return found


def _points(rules: RuleSet, names: list[str], sums: list[Sum]) -> tuple[Figure, ...]:
    expected = odds.points(rules.hand_size)
    figures = []
    for name, row in zip(names, sums, strict=True):
        z = _z(row, expected) if row.number >= FEWEST else None
        mean = row.total / row.number if row.number else 0.0
        figures.append(Figure(name, mean, float(expected), z, _p(z)))
    return tuple(figures)


def _z(row: Sum, expected: Fraction) -> float | None:
    return odds.z_of_mean(row.number, row.total, row.squares, expected)


def _p(z: float | None) -> float | None:
    return None if z is None else odds.normal_p(z)


def _across(card: int) -> float:
    return round(LEFT + (WIDTH - LEFT - 10) * (card + 0.5) / PACK, 1)


def _down(z: float, limit: float) -> float:
    return round(TOP + (HEIGHT - TOP - BOTTOM) * (limit - z) / (2 * limit), 1)
