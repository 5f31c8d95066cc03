"""Fits the weights of ``botapi/house/worth.py`` to deals that house bots play out, and prints them.

``python -m bench.fit_worth --rules pl-3 --deals 6000``: counters and greedies play; of each deal the
declarer's hand before the talon and after the exchange is set against the points it made. Least squares
with a little ridge.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from typing import TYPE_CHECKING, Any

from botapi import house
from botapi.house import worth
from engine import PRESETS, Game

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RIDGE = 2.0


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gauss with pivots, for a small system."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(size):
            if row != column:
                factor = rows[row][column] / rows[column][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    return [rows[row][size] / rows[row][row] for row in range(size)]


def fit(samples: Sequence[tuple[Sequence[float], float]]) -> list[float]:
    """Weights that come nearest to the samples' values."""
    size = len(samples[0][0])
    matrix = [
        [sum(x[i] * x[j] for x, _ in samples) + RIDGE * (i == j) for j in range(size)] for i in range(size)
    ]
    right = [sum(x[i] * y for x, y in samples) for i in range(size)]
    return solve(matrix, right)


def deals(rules: str, count: int) -> Iterator[tuple[list[str], list[str], int]]:
    """Of each deal played: the declarer's hand as dealt, after the exchange, and the points made."""
    names, played, word = ("counter", "counter", "greedy"), 0, 0
    while played < count:
        word += 1
        seed = hashlib.sha256(f"fit {rules} {word}".encode()).digest()
        game = Game(PRESETS[rules], seed=seed)
        draws = [house.Draws(seed, seat) for seat in range(3)]
        dealt: dict[int, list[str]] = {}
        after: dict[int, tuple[int, list[str]]] = {}
        while game.seat is not None:
            seat = game.seat
            view: dict[str, Any] = game.view(seat)
            if game.phase == "contract":
                after[game.deal] = seat, list(view["hand"])
                dealt[game.deal] = list(view["dealt"])
            game.apply(house.choose(names[(seat + word) % 3], view, game.legal, draws[seat]))
        for number, deal in enumerate(game.deals):
            if number in after and deal["contract"]:
                seat, hand = after[number]
                played += 1
                yield dealt[number], hand, deal["points"][seat]


def main(argv: Sequence[str] | None = None) -> int:
    """Play, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", nargs="+", default=["pl-3", "cz-3"])
    parser.add_argument("--deals", type=int, default=3000)
    options = parser.parse_args(argv)
    before: list[tuple[Sequence[float], float]] = []
    after: list[tuple[Sequence[float], float]] = []
    for rules in options.rules:
        for dealt, hand, made in deals(rules, options.deals):
            before.append((worth.features(dealt), made))
            after.append((worth.features(hand), made))
    for name, samples in (("BEFORE", before), ("AFTER", after)):
        weights = fit(samples)
        off = [y - sum(w * v for w, v in zip(weights, x, strict=True)) for x, y in samples]
        spread = (sum(value * value for value in off) / len(off)) ** 0.5
        rounded = tuple(round(weight, 2) for weight in weights)
        print(name, "=", rounded, f"# spread {spread:.1f}, n {len(samples)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
