"""A swap search for rounds with fewest repeated meetings, where no perfect system is known.

Two entrants of different tables of one round change places whenever that lowers the sum of squared meetings,
and now and then when it does not (simulated annealing), for a fixed number of steps: the same start and
stream give the same rounds.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Final

from ladder.formats.draws import Table

WARMTH: Final = (1.5, 0.1)
"""First and last temperature: by how much a change may make things worse with fair probability."""

STEPS: Final = 150_000
"""Tried changes at most; about a second."""

STEPS_A_SEAT: Final = 400


def fewest_repeats(
    rounds: Sequence[Sequence[Table]], rng: random.Random, *, met: dict[tuple[int, int], int] | None = None
) -> list[list[Table]]:
    """The rounds with entrants changed about within each; ``met`` counts earlier meetings (both orders)."""
    tables = [[list(table) for table in tables] for tables in rounds]
    search = _Search(tables, dict(met or {}))
    movable = [index for index, tables_of in enumerate(tables) if len(tables_of) > 1]
    seats = sum(len(table) for tables_of in tables for table in tables_of)
    steps = min(STEPS, STEPS_A_SEAT * seats) if movable else 0
    for step in range(steps):
        if search.repeats == 0:
            break
        heat = WARMTH[0] * (WARMTH[1] / WARMTH[0]) ** (step / steps)
        search.try_swap(movable[int(rng.random() * len(movable))], heat, rng)
    return [[tuple(table) for table in tables_of] for tables_of in search.best]


class _Search:
    """The rounds as they stand, how often each two meet in them, and the best found so far."""

    def __init__(self, tables: list[list[list[int]]], met: dict[tuple[int, int], int]) -> None:
        self._tables = tables
        self._met = met
        for table in (table for tables_of in tables for table in tables_of):
            for a in table:
                for b in table:
                    if a != b:
                        met[a, b] = met.get((a, b), 0) + 1
        self.repeats = sum(count * (count - 1) for count in met.values()) // 4  # both orders of a pair
        self._fewest = self.repeats
        self.best = self._copy()

    def try_swap(self, index: int, heat: float, rng: random.Random) -> None:
        """Change two entrants of one round, if chance at this heat lets it."""
        tables = self._tables[index]
        one = int(rng.random() * len(tables))
        two = (one + 1 + int(rng.random() * (len(tables) - 1))) % len(tables)
        i, j = int(rng.random() * len(tables[one])), int(rng.random() * len(tables[two]))
        a, b = tables[one][i], tables[two][j]
        left = [other for other in tables[one] if other != a]
        right = [other for other in tables[two] if other != b]
        met = self._met
        change = sum(met.get((b, other), 0) - met.get((a, other), 0) + 1 for other in left)
        change += sum(met.get((a, other), 0) - met.get((b, other), 0) + 1 for other in right)
        if change > 0 and rng.random() >= math.exp(-change / heat):
            return
        tables[one][i], tables[two][j] = b, a
        for mover, old, new in ((a, left, right), (b, right, left)):
            for other in old:
                met[mover, other] -= 1
                met[other, mover] -= 1
            for other in new:
                met[mover, other] = met[other, mover] = met.get((mover, other), 0) + 1
        self.repeats += change
        if self.repeats < self._fewest:
            self._fewest, self.best = self.repeats, self._copy()

    def _copy(self) -> list[list[list[int]]]:
        return [[list(table) for table in tables] for tables in self._tables]
