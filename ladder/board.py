"""The published board: Bradley-Terry over all rated results of a pool (ratings.md, "Published board").

Pure and without dependencies. Nodes are versions (whole numbers). Results are counted as half wins, whole
numbers too, and nodes are sorted, so the same results in any order give the same board to the last bit.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from ladder.linear import Matrix, cholesky, inverse, solve
from ladder.ratings import SCALE, START_R, START_V, VERSION_V, Z95

TOLERANCE: Final = 1e-7
"""Newton's method ends when no rating moves by more than this many Elo."""

_MOST_STEPS: Final = 100


@dataclass(slots=True)
class Results:
    """All rated results of a pool, as half wins of one version over another.

    ``half_wins[a][b]``: 2 for each time a was ahead of b, 1 for each tie. ``matches`` and ``players`` (seats
    of all matches) give the mean f by which the covariance is widened.
    """

    half_wins: dict[int, dict[int, int]]
    matches: int = 0
    players: int = 0

    @classmethod
    def empty(cls) -> Results:
        """No match yet."""
        return cls(defaultdict(lambda: defaultdict(int)))

    def add(self, versions: Sequence[int], places: Sequence[int], times: int = 1) -> None:
        """Count a match (``times=-1`` takes it back) of these versions with these places (1 is best)."""
        self.matches += times
        self.players += times * len(versions)
        for (a, pa), (b, pb) in combinations(zip(versions, places, strict=True), 2):
            self.half_wins[a][b] += times * (2 if pa < pb else 1 if pa == pb else 0)
            self.half_wins[b][a] += times * (2 if pb < pa else 1 if pa == pb else 0)

    @property
    def mean_f(self) -> float:
        """Mean of f = (k + 2) / 3 = (players + 1) / 3 over the matches; 1 when there is none."""
        return (self.players / self.matches + 1) / 3 if self.matches else 1.0

    def versions(self) -> set[int]:
        """Versions with at least one result."""
        return {a for a, row in self.half_wins.items() for b, w in row.items() if w or self.half_wins[b][a]}


@dataclass(frozen=True, slots=True)
class Entry:
    """One version on the board: rating and standard deviation in Elo, the ranks its interval allows.

    ``rank_low`` is the best rank, ``rank_high`` the worst; both None when it is not ranked (``joined`` is
    False: no chain of matches or earlier versions joins it to the house bots).
    """

    version: int
    r: float
    sd: float
    joined: bool
    rank_low: int | None
    rank_high: int | None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval in Elo."""
        return self.r - Z95 * self.sd, self.r + Z95 * self.sd

    @property
    def ranks(self) -> str:
        """The rank range as shown, "3-7" or "3"; empty when not ranked."""
        if self.rank_low is None:
            return ""
        return str(self.rank_low) if self.rank_low == self.rank_high else f"{self.rank_low}-{self.rank_high}"


@dataclass(frozen=True, slots=True)
class Board:
    """Entries, best first, those not joined to the house bots last; ``mean_f`` widened the covariance."""

    entries: tuple[Entry, ...]
    mean_f: float

    def by_version(self) -> dict[int, Entry]:
        """Entries by version."""
        return {entry.version: entry for entry in self.entries}


def fit(results: Results, previous: Mapping[int, int], anchors: Collection[int]) -> Board:
    """The board of these results.

    ``previous`` maps a later version to the one before it (its prior is N(R_prev, 60²), all others' is
    N(1500, 300²)); chains must lead to a first version. ``anchors`` are the house bots' versions: their mean
    becomes 1500, and intervals are of the difference to that mean, which is what a rating so shifted says.
    Without anchors in play the mean of all takes their part.
    """
    nodes = sorted(_nodes(results, previous))
    if not nodes:
        return Board((), results.mean_f)
    index = {version: i for i, version in enumerate(nodes)}
    pairs = _pairs(results, index)
    links = [(index[new], index[old]) for new, old in sorted(previous.items()) if new in index]
    theta, precision = _newton(len(nodes), pairs, links)
    covariance = inverse(precision)
    in_play = [index[a] for a in sorted(anchors) if a in index]
    ratings, deviations = _shifted(theta, covariance, in_play or range(len(nodes)), results.mean_f)
    joined = _joined(len(nodes), pairs, links, in_play)
    return Board(tuple(_entries(nodes, ratings, deviations, joined)), results.mean_f)


def _nodes(results: Results, previous: Mapping[int, int]) -> set[int]:
    """Versions with results and all earlier versions of theirs."""
    found = results.versions()
    waiting = list(found)
    while waiting:
        older = previous.get(waiting.pop())
        if older is not None and older not in found:
            found.add(older)
            waiting.append(older)
    return found


def _pairs(results: Results, index: Mapping[int, int]) -> list[tuple[int, int, float, float]]:
    """(i, j, wins of i over j, wins of j over i) with i < j, sorted."""
    pairs = []
    for a in sorted(results.half_wins):
        for b in sorted(results.half_wins[a]):
            won, lost = results.half_wins[a][b], results.half_wins[b][a]
            if a < b and won + lost:
                pairs.append((index[a], index[b], won / 2, lost / 2))
    return pairs


def _newton(
    size: int, pairs: Sequence[tuple[int, int, float, float]], links: Sequence[tuple[int, int]]
) -> tuple[list[float], Matrix]:
    """Strengths in logits (0 is 1500 Elo) of greatest posterior, and the precision matrix there."""
    first = [1 / (START_V * SCALE * SCALE)] * size
    link = 1 / (VERSION_V * SCALE * SCALE)
    for new, _ in links:
        first[new] = 0.0
    theta = [0.0] * size
    value = _objective(theta, pairs, links, first, link)
    for _ in range(_MOST_STEPS):
        gradient, precision = _derivatives(theta, pairs, links, first, link)
        step = solve(cholesky(precision), gradient)
        scale = 1.0
        while True:
            tried = [t + scale * s for t, s in zip(theta, step, strict=True)]
            reached = _objective(tried, pairs, links, first, link)
            if reached >= value - 1e-12 * abs(value) or scale < 1e-6:
                break
            scale /= 2
        theta, value = tried, reached
        if max(map(abs, step)) * scale / SCALE < TOLERANCE:
            break
    return theta, _derivatives(theta, pairs, links, first, link)[1]


def _objective(
    theta: Sequence[float],
    pairs: Iterable[tuple[int, int, float, float]],
    links: Iterable[tuple[int, int]],
    first: Sequence[float],
    link: float,
) -> float:
    """Log posterior (up to a constant)."""
    total = -sum(p * t * t for p, t in zip(first, theta, strict=True)) / 2
    total -= sum((theta[new] - theta[old]) ** 2 for new, old in links) * link / 2
    for i, j, won, lost in pairs:
        x = theta[i] - theta[j]
        ahead = math.log1p(math.exp(-abs(x))) + max(-x, 0.0)  # -log P(i ahead of j)
        total -= won * ahead + lost * (ahead + x)
    return total


def _derivatives(
    theta: Sequence[float],
    pairs: Iterable[tuple[int, int, float, float]],
    links: Iterable[tuple[int, int]],
    first: Sequence[float],
    link: float,
) -> tuple[list[float], Matrix]:
    """Gradient of the log posterior and the negated matrix of its second derivatives."""
    size = len(theta)
    gradient = [-p * t for p, t in zip(first, theta, strict=True)]
    precision = [[0.0] * size for _ in range(size)]
    for i, p in enumerate(first):
        precision[i][i] += p
    curved = [(i, j, link, link * (theta[j] - theta[i])) for i, j in links]
    for i, j, won, lost in pairs:
        p = 1 / (1 + math.exp(theta[j] - theta[i]))
        curved.append((i, j, (won + lost) * p * (1 - p), won * (1 - p) - lost * p))
    for i, j, weight, slope in curved:
        gradient[i] += slope
        gradient[j] -= slope
        precision[i][i] += weight
        precision[j][j] += weight
        precision[i][j] -= weight
        precision[j][i] -= weight
    return gradient, precision


def _shifted(
    theta: Sequence[float], covariance: Matrix, anchors: Sequence[int], mean_f: float
) -> tuple[list[float], list[float]]:
    """Ratings in Elo with the anchors' mean at 1500, and the standard deviations of those differences."""
    count = len(anchors)
    middle = sum(theta[a] for a in anchors) / count
    to_anchors = [sum(row[a] for a in anchors) / count for row in covariance]
    of_middle = sum(to_anchors[a] for a in anchors) / count
    ratings = [START_R + (t - middle) / SCALE for t in theta]
    variances = [covariance[i][i] - 2 * to_anchors[i] + of_middle for i in range(len(theta))]
    return ratings, [math.sqrt(max(0.0, mean_f * v)) / SCALE for v in variances]


def _joined(
    size: int,
    pairs: Iterable[tuple[int, int, float, float]],
    links: Iterable[tuple[int, int]],
    anchors: Sequence[int],
) -> list[bool]:
    """Which nodes a chain of matches or versions joins to an anchor; all of them when there is none."""
    if not anchors:
        return [True] * size
    near: list[list[int]] = [[] for _ in range(size)]
    for i, j in [*((i, j) for i, j, *_ in pairs), *links]:
        near[i].append(j)
        near[j].append(i)
    reached = [False] * size
    waiting = list(anchors)
    while waiting:
        i = waiting.pop()
        if not reached[i]:
            reached[i] = True
            waiting.extend(near[i])
    return reached


def _entries(
    nodes: Sequence[int], ratings: Sequence[float], deviations: Sequence[float], joined: Sequence[bool]
) -> list[Entry]:
    """Entries best first, those that are not joined last and without ranks."""
    ranked = [i for i in range(len(nodes)) if joined[i]]
    ranges = dict(zip(ranked, rank_ranges([(ratings[i], deviations[i]) for i in ranked]), strict=True))
    entries = []
    for i in sorted(range(len(nodes)), key=lambda i: (not joined[i], -ratings[i], nodes[i])):
        rank_low, rank_high = ranges.get(i, (None, None))
        entries.append(
            Entry(nodes[i], round(ratings[i], 6), round(deviations[i], 6), joined[i], rank_low, rank_high)
        )
    return entries


def rank_ranges(ratings: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
    """Best and worst rank of each (rating, sd): how many 95 % intervals lie wholly above, and below, its own."""
    intervals = [(r - Z95 * sd, r + Z95 * sd) for r, sd in ratings]
    lows, highs = sorted(low for low, _ in intervals), sorted(high for _, high in intervals)
    return [
        (len(lows) - bisect_right(lows, high) + 1, len(highs) - bisect_left(highs, low))
        for low, high in intervals
    ]
