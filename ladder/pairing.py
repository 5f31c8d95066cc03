"""Who plays next (ratings.md, "Who plays next"), as pure functions over values.

The caller says who is eligible and free; chance comes from a hash of (pool, sequence number, bot), so a table
can be worked out again by anybody who has the same facts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from statistics import median_low
from typing import Final

PLACEMENT_SHARE: Final = 0.3
"""Part of the tables that may seat a newcomer while others wait."""

SPREAD: Final = 5
"""Most by which the matches of bots of the same age may differ."""

Meetings = Callable[["Candidate"], Mapping[int, int]]
"""Joint matches of a candidate's version with other bots, by bot."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot that may sit at a rated table: version, author (house: None), rating (Elo), matches played."""

    bot: int
    version: int
    author: int | None
    r: float
    played: int
    busy: bool = False
    """It has a rated match of this pool queued or running, so it counts in the field but cannot be seated."""
    provisional: bool = False
    """Its rating is too uncertain to pair by."""


@dataclass(frozen=True, slots=True)
class Table:
    """Who sits together, seed first (seats are given by :func:`seat`), and whether it has a newcomer."""

    members: tuple[Candidate, ...]
    placement: bool


def chance(pool: int, seq: int, name: str) -> float:
    """A number in [0, 1) that depends on pool, sequence number and name alone."""
    digest = hashlib.sha256(f"thousand/1 pairing {pool} {seq} {name}".encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def newcomers(field: Sequence[Candidate]) -> set[int]:
    """Versions so far behind the field that they take placement matches.

    That is more than the spread below the median: at the opening of a season, when all are new, nobody is,
    and a version that has had its 30 but is still behind catches up within the same share of the tables.
    """
    if not field:
        return set()
    level = median_low([candidate.played for candidate in field])
    return {candidate.version for candidate in field if candidate.played + SPREAD < level}


def pair(
    field: Sequence[Candidate],
    meetings: Meetings,
    *,
    players: int,
    pool: int,
    seq: int,
    placement_share: float,
) -> Table | None:
    """The next table of ``players`` from ``field`` (all eligible, the busy too); None if there is none.

    ``placement_share`` is the part of the latest tables that seated a newcomer: at 30 % or more newcomers
    wait, unless the others cannot fill a table.
    """
    new = newcomers(field)
    free = [candidate for candidate in field if not candidate.busy]
    if placement_share >= PLACEMENT_SHARE:
        settled = [candidate for candidate in free if candidate.version not in new]
        table = _first_table(settled, field, meetings, players, pool, seq)
        if table is not None:
            return Table(table, placement=False)
    table = _first_table(free, field, meetings, players, pool, seq)
    return None if table is None else Table(table, placement=any(member.version in new for member in table))


def seat(
    members: Sequence[Candidate], use: Mapping[tuple[int, int], int], *, pool: int, seq: int
) -> list[Candidate]:
    """Members in the order of their seats, by least use.

    ``use[version, seat]`` counts the matches of a version in a seat. The order of least sum is taken,
    chance decides between equal ones.
    """

    def cost(order: Sequence[Candidate]) -> tuple[int, float]:
        used = sum(use.get((member.version, index), 0) for index, member in enumerate(order))
        return used, chance(pool, seq, "seats " + " ".join(str(member.bot) for member in order))

    return min(map(list, permutations(members)), key=cost)


def _first_table(
    free: Sequence[Candidate],
    field: Sequence[Candidate],
    meetings: Meetings,
    players: int,
    pool: int,
    seq: int,
) -> tuple[Candidate, ...] | None:
    """A table around the free bot with the fewest matches; around the next one if nobody may sit with it."""
    luck = {candidate.bot: chance(pool, seq, str(candidate.bot)) for candidate in free}
    for seed in sorted(free, key=lambda candidate: (candidate.played, luck[candidate.bot])):
        others = _opponents(seed, free, field, meetings(seed), luck, players - 1)
        if others is not None:
            return (seed, *others)
    return None


def _opponents(
    seed: Candidate,
    free: Sequence[Candidate],
    field: Sequence[Candidate],
    met: Mapping[int, int],
    luck: Mapping[int, float],
    count: int,
) -> list[Candidate] | None:
    """The ``count`` cheapest opponents of ``seed``, never two of one author; None when there are not so many.

    Bots at the edge of the allowed spread are asked only when the others are too few. A difference to a
    provisional rating counts nothing: pairing by it makes early luck last, and in simulations of 60 bots only
    75 % of true values lay in the board's 95 % intervals after 30 matches, against 95 % without.
    """
    level = min(candidate.played for candidate in field)
    new = newcomers(field)
    floor = min((candidate.played for candidate in field if candidate.version not in new), default=level)

    def cost(other: Candidate) -> tuple[bool, float, int]:
        known = not (seed.provisional or other.provisional)
        price = (abs(seed.r - other.r) / 200 if known else 0.0) + 0.5 * met.get(other.bot, 0)
        price += 0.1 * (other.played - level) + luck[other.bot]
        return other.played - floor >= SPREAD - 1, price, other.bot

    chosen: list[Candidate] = []
    authors = {seed.author} - {None}
    for other in sorted((other for other in free if other.bot != seed.bot), key=cost):
        if other.author not in authors:
            chosen.append(other)
            if other.author is not None:
                authors.add(other.author)
        if len(chosen) == count:
            return chosen
    return None
