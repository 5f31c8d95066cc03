"""One round as it is drawn: its tables and its byes, and how many tables of which size there can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

Table = tuple[int, ...]
"""Entrants that sit together, in the order of their seats."""

Meetings = Counter[frozenset[int]]
"""How often two entrants met, by the pair."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tables of the tournament's own size, and other sizes that its rules allow (2, 3, 4)."""

    own: int
    others: tuple[int, ...] = ()

    def split(self, count: int) -> tuple[int, ...]:
        """Sizes of the tables for ``count`` entrants, the largest first; who is left over has a bye.

        Fewest byes first, then fewest tables of another size, then fewest tables of all.
        """
        best = min(
            _splits(count, self.own, sorted(set(self.others) - {self.own})),
            key=lambda s: self._cost(count, s),
        )
        return tuple(sorted(best, reverse=True))

    def _cost(self, count: int, split: Sequence[int]) -> tuple[int, int, int]:
        return count - sum(split), sum(size != self.own for size in split), len(split)


def _splits(count: int, own: int, others: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All ways to seat at most ``count``; of the own size as many as fit beside the others."""
    if not others:
        yield (own,) * (count // own)
        return
    size, *rest = others
    for tables in range(count // size + 1):
        for more in _splits(count - tables * size, own, rest):
            yield (size,) * tables + more


@dataclass(frozen=True, slots=True)
class Draw:
    """One round: who sits together, and who has a bye."""

    tables: tuple[Table, ...]
    byes: tuple[int, ...] = ()

    def pairs(self) -> Iterator[frozenset[int]]:
        """Each pair that meets in this round."""
        for table in self.tables:
            yield from map(frozenset, combinations(table, 2))


def meetings(tables: Iterable[Table]) -> Meetings:
    """How often each pair met at these tables."""
    return Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))


def cut(entrants: Sequence[int], sizes: Sequence[int]) -> list[Table]:
    """Tables of these sizes from entrants in order."""
    starts = [sum(sizes[:index]) for index in range(len(sizes))]
    return [tuple(entrants[start : start + size]) for start, size in zip(starts, sizes, strict=True)]
