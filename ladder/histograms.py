"""Histograms of how a bot plays, as plain SVG numbers that a template draws (scores, contracts, places by seat)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from games.faces import minus
from ladder.play_tally import BIN, PlayTally

WIDTH: Final = 480
HEIGHT: Final = 170
TOP: Final = 14
BOTTOM: Final = 22
LABELS: Final = 8
"""At most so many labels stand below the bars."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of ``height`` pixels from ``y`` down to the line; ``part`` of it, drawn darker, from ``part_y`` down."""

    x: float
    y: float
    width: float
    height: float
    part_y: float
    part: float
    label: str
    labelled: bool
    middle: float
    count: int
    part_count: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """Bars side by side; ``most`` is what the highest stands for."""

    bars: tuple[Bar, ...]
    most: int
    width: int = WIDTH
    height: int = HEIGHT
    base: int = HEIGHT - BOTTOM
    top: int = TOP


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a line: how often a place was taken, in percent, and where it is drawn (0 to 100)."""

    place: int
    count: int
    percent: float
    start: float


@dataclass(frozen=True, slots=True)
class SeatLine:
    """Places taken from one seat: ``seat`` counts from 0, the forehand of the first deal."""

    seat: int
    matches: int
    shares: tuple[Share, ...]


def scores(tally: PlayTally) -> Histogram | None:
    """Matches by their total, a bar of 100 points each; None without a match."""
    counted = [score for score, count in tally.scores.items() if count > 0]
    if not counted:
        return None
    ends = range(min(counted), max(counted) + 1, BIN)
    return _histogram([(minus(score), tally.scores[score], tally.scores[score]) for score in ends])


def contracts(tally: PlayTally) -> Histogram | None:
    """Deals by their contract, those made as the darker part; None without a contract."""
    sizes = sorted(size for size, one in tally.contracts.items() if one.declared > 0)
    if not sizes:
        return None
    return _histogram(
        [(str(size), tally.contracts[size].declared, tally.contracts[size].made) for size in sizes]
    )


def places_by_seat(tally: PlayTally, players: int) -> list[SeatLine]:
    """A line for each seat: how often first, second, ... from there."""
    lines = []
    for seat in range(players):
        places: Mapping[int, int] = tally.places.get(seat, {})
        matches = sum(places.values())
        shares, start = [], 0.0
        for place in range(1, players + 1):
            percent = 100 * places.get(place, 0) / matches if matches else 0.0
            shares.append(Share(place, places.get(place, 0), percent, start))
            start += percent
        lines.append(SeatLine(seat, matches, tuple(shares)))
    return lines


def _histogram(values: Sequence[tuple[str, int, int]]) -> Histogram:
    """Bars of ``(label, count, part)``, as many labels as have room."""
    most = max(count for _label, count, _part in values)
    room = WIDTH / len(values)
    every = -(-len(values) // LABELS)
    bars = []
    for i, (label, count, part) in enumerate(values):
        high, dark = (round((HEIGHT - TOP - BOTTOM) * number / most, 1) for number in (count, part))
        base = HEIGHT - BOTTOM
        x, width = round(i * room + room * 0.1, 1), round(room * 0.8, 1)
        bars.append(
            Bar(
                x=x,
                y=round(base - high, 1),
                width=width,
                height=high,
                part_y=round(base - dark, 1),
                part=dark,
                label=label,
                labelled=i % every == 0,
                middle=round(x + width / 2, 1),
                count=count,
                part_count=part,
            )
        )
    return Histogram(tuple(bars), most)
