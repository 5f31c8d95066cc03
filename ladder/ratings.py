"""Live rating: Elo whose K follows from the bot's own uncertainty (ratings.md, "Live rating").

Pure: values in, values out. A state is (r, v, n): rating in Elo, variance in Elo squared, rated matches.
All states are read before a match and written at once; ``r`` and ``v`` are rounded to 6 decimals each time,
so a replay gives equal numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

ALGORITHM: Final = "elo-v/1"
"""Name of these formulas, written into each event of the log."""

START_R: Final = 1500.0
START_V: Final = 300.0**2
VERSION_V: Final = 60.0**2
PROVISIONAL_SD: Final = 50.0
Z95: Final = 1.96
SCALE: Final = math.log(10) / 400
"""c of the formulas: logits an Elo point."""

_SPREAD: Final = 3 * SCALE * SCALE / (math.pi * math.pi)
_SCALE_SQUARED: Final = SCALE * SCALE
_DECIMALS: Final = 6


class State(NamedTuple):
    """What is known of one bot version in one pool: rating (Elo), variance (Elo²), rated matches."""

    r: float = START_R
    v: float = START_V
    n: int = 0

    @property
    def sd(self) -> float:
        """Standard deviation of the rating in Elo."""
        return math.sqrt(self.v)

    @property
    def provisional(self) -> bool:
        """Shown greyed, with "?", below the ranked ones (ratings.md: √V > 50, about 37 matches)."""
        return is_provisional(self.v)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval in Elo, R ± 1.96 √V."""
        half = Z95 * math.sqrt(self.v)
        return self.r - half, self.r + half


@dataclass(frozen=True, slots=True)
class Line:
    """One opponent's part of a change: who (index at the table), score 1, ½ or 0, expected score, change.

    ``change`` is in whole units of ``10**-decimals`` Elo, see :func:`explain`.
    """

    opponent: int
    score: float
    expected: float
    change: int


def is_provisional(v: float) -> bool:
    """Whether a variance (Elo²) is still too large for a rank."""
    return v > PROVISIONAL_SD * PROVISIONAL_SD


def expected_score(r: float, opponent: State) -> float:
    """Chance to end ahead of ``opponent``, softened by the opponent's uncertainty (E_ij of ratings.md)."""
    g = 1 / math.sqrt(1 + _SPREAD * opponent.v)
    return _logistic(SCALE * g * (r - opponent.r))


def rate(states: Sequence[State], places: Sequence[int]) -> list[State]:
    """States after a match of these states (same order) with these places (1 is best, equal places share).

    A seat that was stood in for is last in ``places`` already and counts at full weight ("forfeit").
    Raises ValueError when the lengths differ or fewer than two are rated.
    """
    if len(states) != len(places) or len(states) < 2:
        raise ValueError("a rated match needs two or more states and a place for each")
    exp, sqrt = math.exp, math.sqrt
    table = []  # of each seat what the others need of it, worked out once
    for (r, v, _), place in zip(states, places, strict=True):
        g = 1 / sqrt(1 + _SPREAD * v)
        table.append((r, place, g, SCALE * g, g * g))
    inflation = (len(states) + 1) / 3  # f = (k + 2) / 3 with k = opponents
    after = []
    for (r, v, n), place, seat in zip(states, places, table, strict=True):
        information = surprise = 0.0
        for other in table:
            if other is seat:
                continue
            other_r, other_place, g, slope, weight = other
            x = slope * (r - other_r)
            e = 1 / (1 + exp(-x)) if x >= -700 else 0.0
            score = 1.0 if place < other_place else 0.5 if place == other_place else 0.0
            information += weight * e * (1 - e)
            surprise += g * (score - e)
        new_v = 1 / (1 / v + _SCALE_SQUARED * information / inflation)
        new_r = r + new_v * SCALE / inflation * surprise
        after.append(State(round(new_r, _DECIMALS), round(new_v, _DECIMALS), n + 1))
    return after


def explain(states: Sequence[State], places: Sequence[int], seat: int, decimals: int = 6) -> list[Line]:
    """The change of one seat, a line an opponent, in whole units of ``10**-decimals`` Elo.

    The lines add up exactly to the rating after minus the rating before, both rounded to ``decimals``: what
    rounding leaves over goes to the lines it distorts least (largest remainders).
    """
    mine, after = states[seat], rate(states, places)[seat]
    inflation = (len(states) + 1) / 3
    parts: list[tuple[int, float, float, float]] = []
    for j, other in enumerate(states):
        if j == seat:
            continue
        e = expected_score(mine.r, other)
        score = 1.0 if places[seat] < places[j] else 0.5 if places[seat] == places[j] else 0.0
        g = 1 / math.sqrt(1 + _SPREAD * other.v)
        parts.append((j, score, e, after.v * SCALE / inflation * g * (score - e)))
    units = 10**decimals
    total = round(after.r * units) - round(mine.r * units)
    shares = apportion([part * units for *_, part in parts], total)
    return [Line(j, s, e, share) for (j, s, e, _), share in zip(parts, shares, strict=True)]


def new_version(previous: State | None) -> State:
    """State before a version's first match: R of ``previous`` carried, V = min(300², V + 60²), n = 0."""
    if previous is None:
        return State()
    return State(previous.r, round(min(START_V, previous.v + VERSION_V), _DECIMALS), 0)


def apportion(values: Sequence[float], total: int) -> list[int]:
    """Whole numbers near ``values`` that sum to ``total`` (largest remainders; the earlier wins a draw).

    Meant for a ``total`` close to ``sum(values)``; what remains after one unit each is spread round by round.
    """
    if not values:
        return []
    whole = [math.floor(value) for value in values]
    order = sorted(range(len(values)), key=lambda i: (whole[i] - values[i], i))
    left = total - sum(whole)
    for k in range(abs(left)):
        i = order[k % len(order)] if left > 0 else order[-1 - k % len(order)]
        whole[i] += 1 if left > 0 else -1
    return whole


def _logistic(x: float) -> float:
    """1 / (1 + e^-x) without overflow at either end."""
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    z = math.exp(x)
    return z / (1 + z)
