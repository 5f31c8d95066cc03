"""Groups, each a round robin, and a final for the best of each with most of the matches."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ladder.formats import round_robin
from ladder.formats.draws import Draw, Sizes
from ladder.formats.lots import Lot
from ladder.formats.standings import Line, ranked


def divide(entrants: Sequence[int], count: int, lot: Lot) -> list[tuple[int, ...]]:
    """``count`` groups by lot, their sizes at most one apart."""
    order = lot.order(entrants, "groups")
    return [tuple(sorted(order[index::count])) for index in range(count)]


def schedule(groups: Sequence[Sequence[int]], sizes: Sizes, lot: Lot, *, cycles: int = 1) -> list[Draw]:
    """The round robins of all groups side by side; a small group is done earlier than a large one."""
    each = [
        round_robin.schedule(group, sizes, lot, cycles=cycles, name=f"group {index}")
        for index, group in enumerate(groups)
    ]
    longest = max((len(draws) for draws in each), default=0)
    rounds = [[draws[number] for draws in each if number < len(draws)] for number in range(longest)]
    return [
        Draw(
            tuple(table for draw in draws for table in draw.tables),
            tuple(bye for draw in draws for bye in draw.byes),
        )
        for draws in rounds
    ]


def qualified(groups: Sequence[Sequence[Line]], quota: int) -> list[int]:
    """The first ``quota`` of each group's standings that are not out, the winners of groups first."""
    inside = [[line.entrant for line in lines if line.rank is not None] for lines in groups]
    return [entrants[place] for place in range(quota) for entrants in inside if place < len(entrants)]


def overall(final: Sequence[Line], groups: Sequence[Sequence[Line]], out: Collection[int]) -> list[Line]:
    """The final's standings, then the others by their place in the group and their table points a match."""
    finalists = {line.entrant for line in final}
    others = [
        (place, line) for lines in groups for place, line in enumerate(lines) if line.entrant not in finalists
    ]
    others.sort(key=lambda placed: (placed[0], -placed[1].average))
    return ranked([*final, *(line for _, line in others)], out)
