"""A drawn round when somebody drawn is not there: who is left of broken tables forms new ones."""

from __future__ import annotations

from collections.abc import Collection

from ladder.formats.draws import Draw, Meetings, Sizes, cut
from ladder.formats.lots import Lot
from ladder.formats.search import fewest_repeats


def mended(
    draw: Draw, present: Collection[int], met: Meetings, sizes: Sizes, lot: Lot, *, number: int
) -> Draw:
    """The round without those that are absent. Whole tables stay; whoever has a bye may be asked to play.

    Those left over of broken tables come first; who finds no table then has a bye.
    """
    whole = [table for table in draw.tables if set(table) <= set(present)]
    if len(whole) == len(draw.tables):
        return Draw(draw.tables, tuple(bye for bye in draw.byes if bye in present))
    broken = [
        entrant for table in draw.tables if table not in whole for entrant in table if entrant in present
    ]
    free = [*broken, *lot.order([bye for bye in draw.byes if bye in present], f"mending {number}")]
    split = sizes.split(len(free))
    playing, resting = free[: sum(split)], free[sum(split) :]
    counted = {(a, b): times for pair, times in met.items() for a in pair for b in pair if a != b}
    (tables,) = fewest_repeats([cut(playing, split)], lot.generator(f"mending {number}"), met=counted)
    return Draw((*whole, *tables), tuple(resting))
