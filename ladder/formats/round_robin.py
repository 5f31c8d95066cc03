"""Everybody meets everybody: the circle for tables of two, Kirkman systems, else a swap search."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from ladder.formats import kirkman
from ladder.formats.draws import Draw, Sizes, cut
from ladder.formats.lots import Lot
from ladder.formats.search import fewest_repeats


def schedule(
    entrants: Sequence[int], sizes: Sizes, lot: Lot, *, cycles: int = 1, name: str = ""
) -> list[Draw]:
    """All rounds of ``cycles`` round robins among ``entrants``; ``name`` tells apart draws of one lot.

    Every two meet once a cycle where that can be; byes go round, so that nobody has two more than another.
    """
    drawn: list[Draw] = []
    for cycle in range(cycles):
        purpose = f"round robin {name} cycle {cycle}"
        drawn += _cycle(lot.order(entrants, purpose), sizes, lot, purpose, done=len(drawn))
    return drawn


def _cycle(order: Sequence[int], sizes: Sizes, lot: Lot, purpose: str, *, done: int) -> list[Draw]:
    """One cycle of entrants in drawn order, after ``done`` rounds."""
    perfect = kirkman.system(len(order), sizes.own)
    if perfect is not None:
        return [
            _seated(
                Draw(tuple(tuple(order[place] for place in table) for table in tables)),
                lot,
                f"{purpose} {number}",
            )
            for number, tables in enumerate(perfect)
        ]
    if sizes.own == 2 and not sizes.others:
        return [_seated(draw, lot, f"{purpose} {number}") for number, draw in enumerate(_circle(order))]
    return _searched(sorted(order), sizes, lot, purpose, done=done)


def _circle(order: Sequence[int]) -> list[Draw]:
    """The circle method: the last stays, the others turn; who would meet the empty chair has a bye."""
    ring: list[int | None] = [*order] if len(order) % 2 == 0 else [*order, None]
    last = ring.pop()
    draws = []
    for turn in range(len(ring)):
        turned = ring[turn:] + ring[:turn]
        pairs = [(turned[0], last)]
        pairs += [(turned[k], turned[-k]) for k in range(1, len(ring) // 2 + 1)]
        tables = tuple((a, b) for a, b in pairs if a is not None and b is not None)
        byes = tuple(a for a, b in pairs if a is not None and b is None)
        draws.append(Draw(tables, byes))
    return draws


def _searched(entrants: Sequence[int], sizes: Sizes, lot: Lot, purpose: str, *, done: int) -> list[Draw]:
    """As many rounds as all pairs need, with fewest repeats. Byes go round in one order for all cycles."""
    split = sizes.split(len(entrants))
    meeting = sum(comb(size, 2) for size in split)
    rounds = -(-comb(len(entrants), 2) // meeting)
    idle = len(entrants) - sum(split)
    ring = lot.order(entrants, "byes")
    byes, tables = [], []
    for number in range(rounds):
        first = (done + number) * idle % len(ring)
        resting = (ring + ring)[first : first + idle]
        byes.append(tuple(resting))
        playing = [each for each in entrants if each not in resting]
        tables.append(cut(lot.order(playing, f"{purpose} round {number}"), split))
    found = fewest_repeats(tables, lot.generator(purpose))
    return [
        _seated(Draw(tuple(tables_of), resting), lot, f"{purpose} {number}")
        for number, (tables_of, resting) in enumerate(zip(found, byes, strict=True))
    ]


def _seated(draw: Draw, lot: Lot, purpose: str) -> Draw:
    """The draw with seats by lot: who begins must not follow from how a system was built."""
    return Draw(tuple(tuple(lot.order(table, f"{purpose} seats")) for table in draw.tables), draw.byes)
