"""``./run bench ratings``: ladders of 60 bots of known strength against "Must reach" of ratings.md.

One JSON line a check: name, value, unit, n (seeds), must. Strengths are normal, places Plackett-Luce, tables
come from :mod:`ladder.pairing`, four bots are the house's. The live state is rebased every 500 matches, half
way between the moments at which it is measured. A rating's zero is a convention, so errors are taken after
the means of all bots are laid together; intervals are those of differences to the house bots.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, pstdev

from ladder.board import Board, Results, fit
from ladder.pairing import Candidate, pair, seat
from ladder.ratings import SCALE, START_R, Z95, State, new_version, rate
from ladder.replay import REBASE_EVERY, Audit, States, canonical, chained, match_payload, version_payload

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


def main(argv: Sequence[str] | None = None) -> int:
    """Run the checks, print one JSON line each; 1 when one misses what it must reach."""
    parser = argparse.ArgumentParser(prog="bench ratings", description=__doc__)
    parser.add_argument(
        "--seeds", type=int, default=2, help="ladders a check; 16 for the figures of ratings.md"
    )
    parser.add_argument("--deep", action="store_true", help="also 1000 matches a bot")
    options = parser.parse_args(argv)
    seeds = range(options.seeds)
    good = True
    for check in (_accuracy, _coverage, _uploads, _orders, _islands, _reference, _audit):
        for name, value, unit, must, passed in check(seeds, deep=options.deep):
            line = {
                "name": name,
                "value": round(value, 4),
                "unit": unit,
                "n": len(seeds),
                "must": must,
                "ok": passed,
            }
            print(json.dumps(line), flush=True)
            good = good and passed
    return 0 if good else 1


Lines = Iterable[tuple[str, float, str, str, bool]]


def _accuracy(seeds: range, *, deep: bool) -> Lines:
    """Spearman and errors of one growing ladder a seed, SD 100."""
    musts = {30: 0.84, 100: 0.94, 300: 0.972} | ({1000: 0.990} if deep else {})
    rho: dict[int, list[float]] = defaultdict(list)
    board_error, live_error, broken = [], [], 0
    spread = 0
    for seed in seeds:
        ladder, done = Simulation(seed), 0
        for n in musts:
            ladder.play(BOTS * (n - done) // 3)
            done = n
            board = {entry.version: entry.r for entry in ladder.board().entries}
            rho[n].append(_spearman(board, ladder.strength))
            if n == 100:
                board_error.append(_rmse(board, ladder.strength))
                live_error.append(_rmse({v: s.r for v, s in ladder.states.items()}, ladder.strength))
        played = [state.n for state in ladder.states.values()]
        broken, spread = broken + ladder.broken, max(spread, max(played) - min(played))
    for n, must in musts.items():
        yield f"board_spearman_n{n}", fmean(rho[n]), "rho", f">= {must}", fmean(rho[n]) >= must
    yield "board_rmse_n100", fmean(board_error), "Elo", "<= 33", fmean(board_error) <= 33
    yield "live_rmse_n100", fmean(live_error), "Elo", "<= 35", fmean(live_error) <= 35
    yield "winner_lost_or_last_gained", broken, "changes", "0", broken == 0
    yield "spread_of_matches", spread, "matches", "<= 5", spread <= 5


def _coverage(seeds: range, *, deep: bool) -> Lines:
    """True values inside the 95 % intervals of the board."""
    del deep
    for deviation in (100.0, 250.0):
        inside: dict[int, list[float]] = defaultdict(list)
        for seed in seeds:
            ladder, done = Simulation(seed, deviation), 0
            for n in (30, 100):
                ladder.play(BOTS * (n - done) // 3)
                done = n
                inside[n].append(_inside(ladder))
        for n, shares in inside.items():
            value = 100 * fmean(shares)
            yield f"coverage_sd{deviation:.0f}_n{n}", value, "%", "93 to 97.5", 93 <= value <= 97.5


def _uploads(seeds: range, *, deep: bool) -> Lines:
    """A third of the bots brings a new version twice; versions played now, n = 100 a bot in all."""
    del deep
    errors, rhos = [], []
    for seed in seeds:
        ladder = Simulation(seed)
        for start in (HOUSE, HOUSE + 1):
            ladder.play(BOTS * 30 // 3)
            for bot in range(start, BOTS, 3):
                ladder.upload(bot)
        ladder.play(BOTS * 40 // 3)
        current = set(ladder.version.values())
        board = {entry.version: entry.r for entry in ladder.board().entries if entry.version in current}
        truth = {version: ladder.strength[version] for version in current}
        errors.append(_rmse(board, truth))
        rhos.append(_spearman(board, truth))
    yield "uploads_rmse", fmean(errors), "Elo", "<= 38", fmean(errors) <= 38
    yield "uploads_spearman", fmean(rhos), "rho", ">= 0.94", fmean(rhos) >= 0.94


def _orders(seeds: range, *, deep: bool) -> Lines:
    """The same log in 40 orders: spread of live ratings over their own uncertainty, spread of the board."""
    del deep
    for n, must in ((100, 0.20), (300, 0.15)):
        ratios: list[float] = []
        boards = 0.0
        for seed in seeds:
            ladder = Simulation(seed)
            ladder.play(BOTS * n // 3)
            finals: dict[int, list[State]] = defaultdict(list)
            first = ladder.board()
            for _ in range(40):
                order = list(ladder.log)
                ladder.rng.shuffle(order)
                final, board = _replayed(order)
                boards = max(
                    boards, *(abs(a.r - b.r) for a, b in zip(first.entries, board.entries, strict=True))
                )
                for bot, state in final.items():
                    finals[bot].append(state)
            spreads = ((pstdev(s.r for s in ends), fmean(s.sd for s in ends)) for ends in finals.values())
            ratios.extend(spread / sigma for spread, sigma in spreads)
        yield f"orders_live_n{n}", fmean(ratios), "sd / sigma", f"<= {must}", fmean(ratios) <= must
        yield f"orders_board_n{n}", boards, "Elo", "0", boards == 0


def _replayed(log: Sequence[tuple[list[int], list[int]]]) -> tuple[dict[int, State], Board]:
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


def _islands(seeds: range, *, deep: bool) -> Lines:
    """Two halves play apart for 70 matches a bot, then together for 30."""
    del deep
    errors = []
    for seed in seeds:
        ladder = Simulation(seed, rebase=False)
        half = BOTS // 2
        for _ in range(half * 70 // 3):
            ladder.play(1, range(half))
            ladder.play(1, range(half, BOTS))
        ladder.rebase = True
        ladder.play(BOTS * 30 // 3)
        board = {entry.version: entry.r for entry in ladder.board().entries}
        errors.append(_rmse(board, ladder.strength))
    yield "islands_rmse", fmean(errors), "Elo", "<= 32", fmean(errors) <= 32


def _reference(seeds: range, *, deep: bool) -> Lines:
    """The board against the same optimum, which choix.opt_pairwise seeks too, by coordinate ascent."""
    del deep
    worst = 0.0
    for seed in seeds:
        ladder = Simulation(seed)
        ladder.play(BOTS * 30 // 3)
        board = {entry.version: entry.r for entry in ladder.board().entries}
        found = _ascended(ladder.results)
        shift = fmean(board.values()) - fmean(found.values())
        worst = max(worst, *(abs(board[v] - found[v] - shift) for v in board))
    yield "board_against_reference", worst, "Elo", "<= 0.01", worst <= 0.01


def _ascended(results: Results) -> dict[int, float]:
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


def _audit(seeds: range, *, deep: bool) -> Lines:
    """Replaying a log in memory, for a million matches (reading PostgreSQL comes on top)."""
    del seeds
    rng = random.Random(1)
    states: States = {}
    entries: list[tuple[int, str, str]] = []
    sha256 = ""
    for number in range(1, (200_000 if deep else 20_000) + 301):
        if number <= 300:
            body = version_payload(states, number, number, None)
        else:
            body = match_payload(
                states, list(zip(rng.sample(range(1, 301), 3), (1, 2, 3), strict=True)), number
            )
        states.update({version: State(r, v, n) for version, r, v, n in body["states"]})
        text = canonical({"seq": number, "algorithm": "elo-v/1", **body})
        sha256 = chained(sha256, text)
        entries.append((number, text, sha256))
    began = time.process_time()
    audit = Audit(keep=False)
    for number, text, digest in entries:
        audit.check(number, text, digest)
    seconds = (time.process_time() - began) * 1_000_000 / (len(entries) - 300)
    yield "audit_million_matches", seconds, "s", "<= 60", seconds <= 60


def _inside(ladder: Simulation) -> float:
    """Share of bots whose true difference to the house bots' mean lies in the board's interval."""
    house = fmean(ladder.strength[v] for v in range(HOUSE))
    entries = ladder.board().entries
    errors = [(entry.r - START_R) - (ladder.strength[entry.version] - house) for entry in entries]
    return fmean(abs(error) <= Z95 * entry.sd for error, entry in zip(errors, entries, strict=True))


def _rmse(ratings: dict[int, float], truth: dict[int, float]) -> float:
    shift = fmean(ratings.values()) - fmean(truth[v] for v in ratings)
    return math.sqrt(fmean((r - shift - truth[v]) ** 2 for v, r in ratings.items()))


def _spearman(ratings: dict[int, float], truth: dict[int, float]) -> float:
    """Rank correlation; no two are equal."""
    versions = sorted(ratings)
    ranks = [
        {v: rank for rank, v in enumerate(sorted(versions, key=values.__getitem__))}
        for values in (ratings, truth)
    ]
    squares = sum((ranks[0][v] - ranks[1][v]) ** 2 for v in versions)
    n = len(versions)
    return 1 - 6 * squares / (n * (n * n - 1))


if __name__ == "__main__":
    raise SystemExit(main())
