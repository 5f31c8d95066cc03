"""Kirkman systems: rounds in which all play at once and every two meet exactly once, where they are known.

9 and 27 for tables of three and 16 for tables of four are the parallel lines of an affine space: each
direction gives one round. 15 is the schoolgirls' walk of Kirkman (1850), one day turned seven times.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Final

from ladder.formats.draws import Table

AFFINE: Final = {(3, 9): 2, (3, 27): 3, (4, 16): 2}
"""(Size of a table, entrants) to the dimension of the space over the field of that size."""

_FOUR: Final = ((0, 0, 0, 0), (0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2))
"""Products in the field of four; its sums are exclusive ors."""

_DAY: Final = ((0, 7, 14), (1, 2, 4), (3, 8, 12), (5, 11, 13), (6, 9, 10))
"""First day of the schoolgirls: 0 to 6 and 7 to 13 turn in circles of seven, 14 stays."""


def system(count: int, size: int) -> list[list[Table]] | None:
    """Rounds of tables of the numbers 0 to ``count`` - 1; None where no system is known here."""
    if count == size:
        return [[tuple(range(size))]]
    if (size, count) == (3, 15):
        return [[tuple(_turned(girl, day) for girl in table) for table in _DAY] for day in range(7)]
    dimension = AFFINE.get((size, count))
    return None if dimension is None else _parallels(size, dimension)


def _turned(girl: int, day: int) -> int:
    return girl if girl == 14 else girl // 7 * 7 + (girl % 7 + day) % 7


def _parallels(q: int, dimension: int) -> list[list[Table]]:
    """The lines of the space, a round a direction."""
    plus, times = _field(q)
    points = list(product(range(q), repeat=dimension))
    rounds = []
    for direction in points:
        if (
            next((x for x in direction if x), 0) != 1
        ):  # each direction once: its first coordinate that counts is 1
            continue
        left = set(points)
        tables = []
        for point in points:
            if point in left:
                line = [
                    tuple(plus(p, times(t, d)) for p, d in zip(point, direction, strict=True))
                    for t in range(q)
                ]
                left -= set(line)
                tables.append(tuple(points.index(each) for each in line))
        rounds.append(tables)
    return rounds


def _field(q: int) -> tuple[Callable[[int, int], int], Callable[[int, int], int]]:
    """Sum and product in the field of ``q`` elements (3 or 4)."""
    if q == 4:
        return (lambda a, b: a ^ b), (lambda a, b: _FOUR[a][b])
    return (lambda a, b: (a + b) % q), (lambda a, b: a * b % q)
