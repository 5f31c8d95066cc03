"""A rating curve with its 95 % band as plain SVG numbers: drawn by the template, readable without scripts.

Where scripts run, ``ladder/charts.js`` draws the same points as a curve that answers the pointer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ladder.queries import CurvePoint
from ladder.ratings import Z95

WIDTH: Final = 720
HEIGHT: Final = 240
LEFT: Final = 52
RIGHT: Final = 8
TOP: Final = 16
BOTTOM: Final = 22


@dataclass(frozen=True, slots=True)
class Mark:
    """A line across the drawing at ``at`` (pixels) with its label."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Curve:
    """What the template draws: ``line`` and ``band`` are SVG point lists, marks say ratings and versions.

    ``data`` is JSON for charts.js: seconds ``at``, Elo ``r``, ``low``, ``high`` of each point, and [index, label] of
    ``versions``.
    """

    line: str
    band: str
    ratings: tuple[Mark, ...]
    versions: tuple[Mark, ...]
    data: str
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def curve(points: Sequence[CurvePoint]) -> Curve | None:
    """The curve through ``points`` (oldest first, x is their order); None for fewer than two."""
    if len(points) < 2:
        return None
    middle = [point.r for point in points]
    half = [Z95 * math.sqrt(point.v) for point in points]
    low = min(r - h for r, h in zip(middle, half, strict=True))
    high = max(r + h for r, h in zip(middle, half, strict=True))

    def x(i: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * i / (len(points) - 1), 1)

    def y(r: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - r) / (high - low), 1)

    upper = [f"{x(i)},{y(middle[i] + half[i])}" for i in range(len(points))]
    lower = [f"{x(i)},{y(middle[i] - half[i])}" for i in range(len(points))]
    begun = [
        (i, f"v{point.version}")
        for i, point in enumerate(points)
        if i == 0 or point.version != points[i - 1].version
    ]
    data = {
        "at": [int(point.at.timestamp()) for point in points],
        "r": [round(r, 1) for r in middle],
        "low": [round(r - h, 1) for r, h in zip(middle, half, strict=True)],
        "high": [round(r + h, 1) for r, h in zip(middle, half, strict=True)],
        "versions": begun,
    }
    return Curve(
        line=" ".join(f"{x(i)},{y(r)}" for i, r in enumerate(middle)),
        band=" ".join(upper + lower[::-1]),
        ratings=tuple(Mark(y(r), str(r)) for r in _round_numbers(low, high)),
        versions=tuple(Mark(x(i), label) for i, label in begun),
        data=json.dumps(data, separators=(",", ":")),
    )


def _round_numbers(low: float, high: float) -> list[int]:
    """Three to six round ratings between ``low`` and ``high``."""
    step = next(step for step in (10, 20, 50, 100, 200, 500, 1000, 5000, 10**9) if (high - low) / step < 6)
    first = int(-(-low // step)) * step
    return list(range(first, int(high) + 1, step))
