"""Swiss rounds for tables of two, three and four: neighbours of the standings, as new to one another as can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from ladder.formats.draws import Draw, Meetings, Sizes, Table, cut
from ladder.formats.lots import Lot

AGAIN: Final = 20
"""A second meeting is avoided if that costs fewer ranks of distance than this, squared, at the table."""


def draw(
    order: Sequence[int], met: Meetings, byes: Mapping[int, int], sizes: Sizes, lot: Lot, *, number: int
) -> Draw:
    """The next round for entrants in the order of the standings (before the first round: that of the lot).

    ``byes`` counts earlier ones: whoever had fewest has the next, the last of the standings first.
    """
    split = sizes.split(len(order))
    idle = len(order) - sum(split)
    last_first = list(reversed(order))
    resting = sorted(last_first, key=lambda entrant: byes.get(entrant, 0))[:idle]
    playing = [entrant for entrant in order if entrant not in resting]
    tables = _settled(
        [list(table) for table in cut(playing, split)], met, {e: i for i, e in enumerate(playing)}
    )
    return Draw(tuple(tuple(lot.order(table, f"swiss {number} seats")) for table in tables), tuple(resting))


def _settled(tables: list[list[int]], met: Meetings, place: Mapping[int, int]) -> list[Table]:
    """Exchange entrants between tables for as long as the best exchange makes the round cheaper."""
    costs = [_cost(table, met, place) for table in tables]
    improved = True
    while improved:
        improved = False
        for one, two in combinations(range(len(tables)), 2):
            found = _best_exchange(tables[one], tables[two], costs[one] + costs[two], met, place)
            if found is not None:
                tables[one], tables[two] = found
                costs[one], costs[two] = _cost(found[0], met, place), _cost(found[1], met, place)
                improved = True
    return [tuple(table) for table in tables]


def _best_exchange(
    one: list[int], two: list[int], cost: int, met: Meetings, place: Mapping[int, int]
) -> tuple[list[int], list[int]] | None:
    best = None
    for i in range(len(one)):
        for j in range(len(two)):
            left, right = [*one[:i], two[j], *one[i + 1 :]], [*two[:j], one[i], *two[j + 1 :]]
            price = _cost(left, met, place) + _cost(right, met, place)
            if price < cost:
                cost, best = price, (left, right)
    return best


def _cost(table: Sequence[int], met: Meetings, place: Mapping[int, int]) -> int:
    """Squared distances in the standings, and a fine for each earlier meeting."""
    return sum(
        (place[a] - place[b]) ** 2 + AGAIN**2 * met[frozenset((a, b))] for a, b in combinations(table, 2)
    )
