"""Does one bot help another? The pair test of ratings.md, for operators to look into; it judges nobody.

For bots i and j and the matches in which both sat, j's surplus is what it scored against i and against every
other seat beyond what the board expects. Divided by its standard deviation it is about normal where nobody
helps: ``z_ij = Σ[(S_jk - E_jk) + (S_ji - E_ji)] / √Σ f E (1 - E)``, with f = (players + 1) / 3 for
the results of one match that hang together. Pure: values in, values out.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ladder.ratings import SCALE

SUSPICIOUS_Z: Final = 4.5
LEAST_JOINT: Final = 20
"""Joint matches below which the sum is not near enough to normal."""


@dataclass(frozen=True, slots=True)
class PairTest:
    """What ``helped`` scored in the ``joint`` matches with ``helper`` beyond expectation, and how unlikely that is.

    ``surplus`` is in opponents beaten; a negative ``z`` says that ``helped`` does worse beside ``helper``.
    """

    helper: int
    helped: int
    joint: int
    surplus: float
    z: float

    @property
    def suspicious(self) -> bool:
        """Whether an operator should look at it."""
        return self.joint >= LEAST_JOINT and abs(self.z) > SUSPICIOUS_Z


def pair_tests(
    matches: Iterable[Sequence[tuple[int, int]]],
    ratings: Mapping[int, float],
    bot_of: Mapping[int, int],
) -> list[PairTest]:
    """The tests of all ordered pairs of bots that met, the most remarkable first.

    ``matches`` are their seats as (version, place), ``ratings`` Elo by version (the board's), ``bot_of`` the
    bot of each version. Seats of versions without a rating are left out.
    """
    joint: dict[tuple[int, int], int] = defaultdict(int)
    surplus: dict[tuple[int, int], float] = defaultdict(float)
    variance: dict[tuple[int, int], float] = defaultdict(float)
    for seats in matches:
        rated = [(bot_of[version], place, ratings[version]) for version, place in seats if version in ratings]
        inflation = (len(seats) + 1) / 3
        for helped, place, rating in rated:
            gained = spread = 0.0
            for other, other_place, other_rating in rated:
                if other != helped:
                    expected = 1 / (1 + math.exp(SCALE * (other_rating - rating)))
                    gained += (
                        1.0 if place < other_place else 0.5 if place == other_place else 0.0
                    ) - expected
                    spread += inflation * expected * (1 - expected)
            for helper, *_ in rated:
                if helper != helped:
                    pair = helper, helped
                    joint[pair] += 1
                    surplus[pair] += gained
                    variance[pair] += spread
    tests = [
        PairTest(*pair, joint[pair], surplus[pair], surplus[pair] / math.sqrt(variance[pair]))
        for pair in joint
        if variance[pair] > 0
    ]
    return sorted(tests, key=lambda test: (-abs(test.z), test.helper, test.helped))
