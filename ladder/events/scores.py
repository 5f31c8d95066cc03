"""What people and bots are worth on the same cards, with an interval. Pure (service.md, "Organised events").

Points are those of a deal's score. A difference compares one seat with the same seat on the same cards, so what
the cards are worth cancels; a block's difference is the sum over its deals that are not void.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Any, Final

T95: Final = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""Student's t, 97.5 %, for 1 to 10 degrees of freedom."""
T95_MORE: Final = ((15, 2.131), (20, 2.086), (30, 2.042), (60, 2.000), (120, 1.980))
"""For more degrees of freedom, the value at the next smaller number of this list."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The sum of ``n`` differences and half its 95 % interval; ``margin`` is None where n is below 2."""

    total: float
    margin: float | None
    n: int

    @property
    def verdict(self) -> str:
        """``won``, ``lost``, or ``draw`` where the interval holds 0, or is not known."""
        if self.margin is None or abs(self.total) <= self.margin:
            return "draw"
        return "won" if self.total > 0 else "lost"


def deal_scores(record: Mapping[str, Any]) -> list[tuple[int, ...]]:
    """By seat, the scores of each deal of a record that was not passed out."""
    return [tuple(deal["scores"]) for deal in record["deals"] if not deal["void"]]


def replayed(
    mine: Mapping[str, Any], other: Mapping[str, Any], seat: int, void: Collection[int] = ()
) -> float:
    """The block's difference in ``seat`` between two records of the same cards; ``void`` are deals from 1."""
    pairs = zip(deal_scores(mine), deal_scores(other), strict=False)
    return float(sum(a[seat] - b[seat] for number, (a, b) in enumerate(pairs, 1) if number not in void))


def rotated(records: Sequence[Mapping[str, Any]]) -> float:
    """A team's difference on one deal: ``records[k]`` has the person in seat k, bots in the others.

    In each seat the person's score is compared with the mean of the bots' there, at the other tables.
    """
    scores = [deal_scores(record)[0] for record in records]
    people = range(len(scores))
    return float(
        sum(scores[k][k] - fmean(scores[other][k] for other in people if other != k) for k in people)
    )


def difference(parts: Sequence[float]) -> Difference:
    """The sum of independent differences with its 95 % interval (Student's t)."""
    n = len(parts)
    if n < 2:
        return Difference(float(sum(parts)), None, n)
    return Difference(float(sum(parts)), t95(n - 1) * stdev(parts) * sqrt(n), n)


def t95(freedom: int) -> float:
    """Student's t for a 95 % interval at so many degrees of freedom, never below the true value."""
    if freedom <= len(T95):
        return T95[freedom - 1]
    return min([T95[-1], *(value for least, value in T95_MORE if freedom >= least)])
