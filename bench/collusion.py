"""``./run bench collusion``: the pair test of ratings.md on simulated seasons, with and without a pair that helps.

One JSON line a check: name, value, unit, n (seasons), must. In a season with a pair, one bot plays ``--elo`` worse
and its partner as much better whenever both sit at a table; the board is fitted to those results like any other.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence

from bench._simulated import Simulation
from ladder.collusion import SUSPICIOUS_Z, PairTest, pair_tests

JOINT = 300
HELPER, HELPED = 10, 11


def tests_of(season: Simulation) -> list[PairTest]:
    """The pair tests of all matches of a simulated season so far."""
    board = {entry.version: entry.r for entry in season.board().entries}
    matches = [list(zip(versions, places, strict=True)) for versions, places in season.log]
    return pair_tests(matches, board, {version: version for version in board})


def joint_until_flagged(seed: int, elo: float) -> int | None:
    """Joint matches of the pair after which it was first flagged, looked at every 25; None: not within 300."""

    def helping(versions: Sequence[int]) -> dict[int, float]:
        return {HELPER: -elo, HELPED: elo} if HELPER in versions and HELPED in versions else {}

    season = Simulation(seed, bots=20, helping=helping)
    looked = 0
    while looked < JOINT:
        season.play(50)
        met = season.met[HELPER][HELPED]
        if met >= looked + 25:
            looked = met
            found = [{test.helper, test.helped} for test in tests_of(season) if test.suspicious]
            if {HELPER, HELPED} in found:
                return met
    return None


def false_flags(seed: int, bots: int = 60) -> int:
    """Flags of a clean season of so many bots with 300 matches each."""
    season = Simulation(seed, bots=bots)
    season.play(bots * 300 // 3)
    return sum(test.suspicious for test in tests_of(season))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the checks, print one JSON line each; 1 when one misses what it must reach."""
    parser = argparse.ArgumentParser(prog="bench collusion", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="seasons of each kind (default 20)")
    parser.add_argument("--elo", type=float, default=100.0, help="what the helping is worth (default 100)")
    options = parser.parse_args(argv)
    seeds = [random.Random(number).randrange(2**32) for number in range(options.seeds)]
    met = [joint_until_flagged(seed, options.elo) for seed in seeds]
    caught = [joint for joint in met if joint is not None]
    wrong = sum(false_flags(seed) for seed in seeds)
    checks = [
        ("pairs_flagged_within_300", len(caught) / len(met), "share", "1", len(caught) == len(met)),
        ("joint_matches_until_flagged_worst", max(caught, default=0), "matches", "<= 300", bool(caught)),
        ("false_flags_in_clean_seasons", wrong, "flags", "<= 1", wrong <= 1),
    ]
    for name, value, unit, must, good in checks:
        line = {"name": name, "value": value, "unit": unit, "n": len(seeds), "must": must, "ok": good}
        print(json.dumps({**line, "z": SUSPICIOUS_Z}), flush=True)
    return 0 if all(good for *_, good in checks) else 1
