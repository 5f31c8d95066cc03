"""Simulated ladders of 60 bots of known strength, and how well ratings find the strengths (:mod:`bench.ratings`).

Strengths are normal, places Plackett-Luce, tables come from :mod:`ladder.pairing`, four bots are the house's. The live
state is rebased every 500 matches, half way between the moments at which it is measured. A rating's zero is a
convention, so errors are taken after the means of all bots are laid together; intervals are those of differences to
the house bots.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from ladder.board import Board, Results, fit
from ladder.pairing import Candidate, pair, seat
from ladder.ratings import SCALE, START_R, Z95, State, new_version, rate
from ladder.replay import REBASE_EVERY

BOTS = 60
HOUSE = 4


@dataclass(slots=True)
class Simulation:
    """One ladder. Versions are numbers; a bot's first version has the bot's number.

    ``helping`` tells by how many Elo versions play better or worse at a table, for who sits there.
    """

    seed: int
    deviation: float = 100.0
    bots: int = BOTS
    rebase: bool = True
    joined: Callable[[int], range] | None = None
    helping: Callable[[Sequence[int]], Mapping[int, float]] = lambda _: {}
    rng: random.Random = field(init=False)
    strength: dict[int, float] = field(default_factory=dict)
    version: dict[int, int] = field(default_factory=dict)
    previous: dict[int, int] = field(default_factory=dict)
    states: dict[int, State] = field(default_factory=dict)
    met: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    use: Counter[tuple[int, int]] = field(default_factory=Counter)
    results: Results = field(default_factory=Results.empty)
    log: list[tuple[list[int], list[int]]] = field(default_factory=list)
    broken: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        for bot in range(self.bots):
            self.strength[bot] = self.rng.gauss(START_R, self.deviation)
            self.version[bot], self.states[bot] = bot, State()

    def play(self, matches: int, among: Sequence[int] | None = None) -> None:
        """Play ``matches`` among these bots (all by default)."""
        for _ in range(matches):
            self._match(self._table(among or range(self.bots)))
            if self.rebase and len(self.log) % REBASE_EVERY == REBASE_EVERY // 2:
                self._rebase()

    def upload(self, bot: int) -> None:
        """A new version of ``bot``, a little stronger or weaker than the one before."""
        old, new = self.version[bot], len(self.states)
        self.strength[new] = self.strength[old] + self.rng.gauss(0, 60)
        self.states[new], self.previous[new], self.version[bot] = new_version(self.states[old]), old, new

    def board(self) -> Board:
        """The published board of all results."""
        return fit(self.results, self.previous, range(HOUSE))

    def _table(self, among: Iterable[int]) -> list[int]:
        candidates = [self._candidate(bot) for bot in among]
        seq = len(self.log)
        table = pair(
            candidates,
            lambda one: self.met[one.version],
            players=3,
            pool=self.seed,
            seq=seq,
            placement_share=0.0,
        )
        assert table is not None
        order = seat(table.members, self.use, pool=self.seed, seq=seq)
        for index, one in enumerate(order):
            self.use[one.version, index] += 1
            self.met[one.version].update(other.bot for other in order if other.bot != one.bot)
        return [one.version for one in order]

    def _candidate(self, bot: int) -> Candidate:
        version = self.version[bot]
        state = self.states[version]
        author = None if bot < HOUSE else bot
        return Candidate(bot, version, author, state.r, state.n, provisional=state.provisional)

    def _match(self, versions: list[int]) -> None:
        more = self.helping(versions)
        luck = {
            v: (self.strength[v] + more.get(v, 0.0)) * SCALE - math.log(-math.log(self.rng.random()))
            for v in versions
        }
        places = [1 + sum(luck[other] > luck[v] for other in versions) for v in versions]
        before = [self.states[v] for v in versions]
        after = rate(before, places)
        for old, new, place in zip(before, after, places, strict=True):
            self.broken += (place == 1 and new.r < old.r) or (place == 3 and new.r > old.r)
        self.states.update(zip(versions, after, strict=True))
        self.results.add(versions, places)
        self.log.append((versions, places))

    def _rebase(self) -> None:
        for entry in self.board().entries:
            if entry.joined:
                n = self.states[entry.version].n
                self.states[entry.version] = State(round(entry.r, 6), round(entry.sd**2, 6), n)


def replayed(log: Sequence[tuple[list[int], list[int]]]) -> tuple[dict[int, State], Board]:
    """Live state and board of a log in this order, rebased every 500 matches."""
    states: dict[int, State] = defaultdict(State)
    results = Results.empty()
    for number, (versions, places) in enumerate(log, 1):
        states.update(zip(versions, rate([states[v] for v in versions], places), strict=True))
        results.add(versions, places)
        if number % REBASE_EVERY == REBASE_EVERY // 2:
            for entry in fit(results, {}, range(HOUSE)).entries:
                if entry.joined:
                    n = states[entry.version].n
                    states[entry.version] = State(round(entry.r, 6), round(entry.sd**2, 6), n)
    return states, fit(results, {}, range(HOUSE))


def ascended(results: Results) -> dict[int, float]:
    """Strengths in Elo by one-dimensional Newton steps, one version after another, until none moves."""
    theta = dict.fromkeys(sorted(results.versions()), 0.0)
    precision = 1 / (300 * SCALE) ** 2
    moved = 1.0
    while moved > 1e-9:
        moved = 0.0
        for v in theta:
            slope, bend = -precision * theta[v], precision
            for other, won in results.half_wins[v].items():
                games = (won + results.half_wins[other][v]) / 2
                p = 1 / (1 + math.exp(theta[other] - theta[v]))
                slope += won / 2 - games * p
                bend += games * p * (1 - p)
            theta[v] += slope / bend
            moved = max(moved, abs(slope / bend))
    return {v: t / SCALE for v, t in theta.items()}


def inside(ladder: Simulation) -> float:
    """Share of bots whose true difference to the house bots' mean lies in the board's interval."""
    house = fmean(ladder.strength[v] for v in range(HOUSE))
    entries = ladder.board().entries
    errors = [(entry.r - START_R) - (ladder.strength[entry.version] - house) for entry in entries]
    return fmean(abs(error) <= Z95 * entry.sd for error, entry in zip(errors, entries, strict=True))


def rmse(ratings: dict[int, float], truth: dict[int, float]) -> float:
    shift = fmean(ratings.values()) - fmean(truth[v] for v in ratings)
    return math.sqrt(fmean((r - shift - truth[v]) ** 2 for v, r in ratings.items()))


def spearman(ratings: dict[int, float], truth: dict[int, float]) -> float:
    """Rank correlation; no two are equal."""
    versions = sorted(ratings)
    ranks = [
        {v: rank for rank, v in enumerate(sorted(versions, key=values.__getitem__))}
        for values in (ratings, truth)
    ]
    squares = sum((ranks[0][v] - ranks[1][v]) ** 2 for v in versions)
    n = len(versions)
    return 1 - 6 * squares / (n * (n * n - 1))
