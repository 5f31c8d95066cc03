"""The totals of a match as a line chart, and above it a box a deal: numbers for an SVG, nothing drawn here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine import RuleSet
from games.known_words import gettext as _

LEFT, ACROSS = 10, 700


@dataclass(frozen=True)
class Mark:
    """A deal's box: where it stands, its CSS classes (whose colour, failed, nobody), words for a pointer."""

    number: int
    x: float
    width: float
    style: str
    words: str


@dataclass(frozen=True)
class Chart:
    """Totals over the deals as SVG points in a box of 720 by 200; ``zero`` and ``target`` are two heights."""

    lines: tuple[str, ...]
    zero: float
    target: float
    target_points: int


@dataclass(frozen=True)
class Outcome:
    """What a mark needs of a deal; ``made`` is None for a deal without a declarer, or with nothing to be made."""

    declarer: int | None
    bid: int | None
    made: bool | None


def chart(rules: RuleSet, totals: Sequence[Sequence[int]], seats: int) -> Chart:
    """The lines of the totals, from 0 on."""
    rows = [[0] * seats, *totals]
    low = min(0, *(min(row) for row in rows))
    high = max(rules.target, *(max(row) for row in rows))
    across = ACROSS / max(1, len(rows) - 1)

    def height(points: int) -> float:
        return round(10 + 180 * (high - points) / (high - low), 1)

    lines = tuple(
        " ".join(f"{LEFT + number * across:.1f},{height(row[seat])}" for number, row in enumerate(rows))
        for seat in range(seats)
    )
    return Chart(lines, height(0), height(rules.target), rules.target)


def strip(outcomes: Sequence[Outcome], names: Sequence[str]) -> Iterable[Mark]:
    """A box for each deal, above the line that it draws in the chart."""
    width = ACROSS / max(1, len(outcomes))
    for index, outcome in enumerate(outcomes):
        style = "nobody" if outcome.declarer is None else f"fill-{outcome.declarer}"
        yield Mark(
            number=index + 1,
            x=LEFT + index * width + 0.05 * width,
            width=0.9 * width,
            style=style + (" failed" if outcome.made is False else ""),
            words=_words(index + 1, outcome, names),
        )


def _words(number: int, outcome: Outcome, names: Sequence[str]) -> str:
    if outcome.declarer is None:
        return _("Deal %(number)d") % {"number": number}
    values = {"number": number, "name": names[outcome.declarer], "bid": outcome.bid}
    if outcome.made is None:
        return _("Deal %(number)d: %(name)s, %(bid)d") % values
    if outcome.made:
        return _("Deal %(number)d: %(name)s, %(bid)d, made") % values
    return _("Deal %(number)d: %(name)s, %(bid)d, failed") % values
