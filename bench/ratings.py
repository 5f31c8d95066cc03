"""``./run bench ratings``: every row of "Must reach" of ratings.md.

One JSON line a check: name, value, unit, n (of what it is), seeds (simulated ladders it is the mean of; 0: none is
simulated), must, ok. Ladders are those of :mod:`bench._simulated`. ``--quick`` is for a look: fewer seeds, shorter
ladders, no database.

The board is held against coordinate ascent on the posterior that ``choix.opt_pairwise(alpha = 1/(2·(300c)²))`` climbs
too: the optimum is one point, whoever finds it, and a few lines of our own need no package. What an audit of a million
matches takes is extrapolated here from entries in memory; ``./run bench reads`` audits a real log of that size.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from bench._filled import filled, probe, servers
from bench._simulated import BOTS, HOUSE, Simulation, ascended, inside, replayed, rmse, spearman
from ladder.ratings import State
from ladder.replay import Audit, States, canonical, chained, match_payload, version_payload


@dataclass(frozen=True, slots=True)
class Line:
    """A figure and what it must be. ``n`` is the number of ladders where nothing else is said."""

    name: str
    value: float
    unit: str
    must: str
    ok: bool
    n: int | None = None
    simulated: bool = True


Lines = Iterable[Line]
SEEDS, FEW = 16, 2
SENT = 10
"""Results that are sent again and again, each way."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the checks, print one JSON line each; 1 when one misses what it must reach."""
    parser = argparse.ArgumentParser(prog="bench ratings", description=__doc__)
    parser.add_argument("--seeds", type=int, help=f"ladders a check ({SEEDS}; with --quick {FEW})")
    parser.add_argument(
        "--quick", action="store_true", help="a look in minutes, not the figures of ratings.md"
    )
    options = parser.parse_args(argv)
    seeds = range(options.seeds or (FEW if options.quick else SEEDS))
    checks: list[Callable[[range, bool], Lines]]
    checks = [_accuracy, _coverage, _uploads, _orders, _islands, _reference, _audit]
    if not options.quick:
        checks.append(_once)
    good = True
    for check in checks:
        for line in check(seeds, options.quick):
            simulated = len(seeds) if line.simulated else 0
            said = {"name": line.name, "value": round(line.value, 4), "unit": line.unit}
            said |= {"n": len(seeds) if line.n is None else line.n, "seeds": simulated}
            print(json.dumps({**said, "must": line.must, "ok": line.ok}), flush=True)
            good = good and line.ok
    return 0 if good else 1


def _accuracy(seeds: range, quick: bool) -> Lines:
    """Spearman and errors of one growing ladder a seed, SD 100."""
    musts = {30: 0.84, 100: 0.94, 300: 0.972} | ({} if quick else {1000: 0.990})
    rho: dict[int, list[float]] = defaultdict(list)
    board_error, live_error, broken = [], [], 0
    spread = 0
    for seed in seeds:
        ladder, done = Simulation(seed), 0
        for n in musts:
            ladder.play(BOTS * (n - done) // 3)
            done = n
            board = {entry.version: entry.r for entry in ladder.board().entries}
            rho[n].append(spearman(board, ladder.strength))
            if n == 100:
                board_error.append(rmse(board, ladder.strength))
                live_error.append(rmse({v: s.r for v, s in ladder.states.items()}, ladder.strength))
        played = [state.n for state in ladder.states.values()]
        broken, spread = broken + ladder.broken, max(spread, max(played) - min(played))
    for n, must in musts.items():
        yield Line(f"board_spearman_n{n}", fmean(rho[n]), "rho", f">= {must}", fmean(rho[n]) >= must)
    yield Line("board_rmse_n100", fmean(board_error), "Elo", "<= 33", fmean(board_error) <= 33)
    yield Line("live_rmse_n100", fmean(live_error), "Elo", "<= 35", fmean(live_error) <= 35)
    yield Line("winner_lost_or_last_gained", broken, "changes", "0", broken == 0)
    yield Line("spread_of_matches", spread, "matches", "<= 5", spread <= 5)


def _coverage(seeds: range, quick: bool) -> Lines:
    """True values inside the 95 % intervals of the board."""
    for deviation in (100.0, 250.0):
        held: dict[int, list[float]] = defaultdict(list)
        for seed in seeds:
            ladder, done = Simulation(seed, deviation), 0
            for n in (30, 100) if quick else (30, 100, 300):
                ladder.play(BOTS * (n - done) // 3)
                done = n
                held[n].append(inside(ladder))
        for n, shares in held.items():
            value = 100 * fmean(shares)
            yield Line(f"coverage_sd{deviation:.0f}_n{n}", value, "%", "93 to 97.5", 93 <= value <= 97.5)


def _uploads(seeds: range, quick: bool) -> Lines:
    """A third of the bots brings a new version twice; versions played now, n = 100 a bot in all."""
    del quick
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
        errors.append(rmse(board, truth))
        rhos.append(spearman(board, truth))
    yield Line("uploads_rmse", fmean(errors), "Elo", "<= 38", fmean(errors) <= 38)
    yield Line("uploads_spearman", fmean(rhos), "rho", ">= 0.94", fmean(rhos) >= 0.94)


def _orders(seeds: range, quick: bool) -> Lines:
    """The same log in 40 orders: spread of live ratings over their own uncertainty, spread of the board."""
    del quick
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
                final, board = replayed(order)
                boards = max(
                    boards, *(abs(a.r - b.r) for a, b in zip(first.entries, board.entries, strict=True))
                )
                for bot, state in final.items():
                    finals[bot].append(state)
            spreads = ((pstdev(s.r for s in ends), fmean(s.sd for s in ends)) for ends in finals.values())
            ratios.extend(spread / sigma for spread, sigma in spreads)
        yield Line(f"orders_live_n{n}", fmean(ratios), "sd / sigma", f"<= {must}", fmean(ratios) <= must)
        yield Line(f"orders_board_n{n}", boards, "Elo", "0", boards == 0)


def _islands(seeds: range, quick: bool) -> Lines:
    """Two halves play apart for 70 matches a bot, then together for 30."""
    del quick
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
        errors.append(rmse(board, ladder.strength))
    yield Line("islands_rmse", fmean(errors), "Elo", "<= 32", fmean(errors) <= 32)


def _reference(seeds: range, quick: bool) -> Lines:
    """The board against the same optimum, which choix.opt_pairwise seeks too, by coordinate ascent."""
    del quick
    worst = 0.0
    for seed in seeds:
        ladder = Simulation(seed)
        ladder.play(BOTS * 30 // 3)
        board = {entry.version: entry.r for entry in ladder.board().entries}
        found = ascended(ladder.results)
        shift = fmean(board.values()) - fmean(found.values())
        worst = max(worst, *(abs(board[v] - found[v] - shift) for v in board))
    yield Line("board_against_reference", worst, "Elo", "<= 0.01", worst <= 0.01)


def _audit(seeds: range, quick: bool) -> Lines:
    """Replaying a log in memory, for a million matches (reading PostgreSQL comes on top)."""
    del seeds
    rng = random.Random(1)
    states: States = {}
    entries: list[tuple[int, str, str]] = []
    sha256 = ""
    for number in range(1, (20_000 if quick else 200_000) + 301):
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
    yield Line(
        "audit_1000000_extrapolated", seconds, "s", "<= 60", seconds <= 60, n=len(entries), simulated=False
    )


def _once(seeds: range, quick: bool) -> Lines:
    """A result sent twice, by eight at once, the log replayed: the state is that of one delivery."""
    del seeds, quick
    with servers() as addresses:
        environment = filled(addresses, matches=200, bots=12, pool=20)
        for way in probe(environment, "bench._once_probe", str(SENT)):
            name, differing = f"once_{way['way']}", way["differing"]
            yield Line(name, differing, "differences", "0", differing == 0, n=way["n"], simulated=False)


if __name__ == "__main__":
    raise SystemExit(main())
