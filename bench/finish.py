"""``./run bench finish``: what finishing a match and rating it cost the database in a large history.

Fills a database of its own (``manage.py fill``), then queues matches of its house bots, plays them and lets the service
finish and rate them one by one, its board among them when that is due. Mean and p95 of database time are judged; the
board, which is one match in 500, is in the mean alone. One JSON line a figure; exit code 1 when one is not as it must be.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from statistics import fmean

from bench._figures import at_most, figure
from bench._filled import filled, probe, servers
from bench._server_time import share

MOST_MS = 20.0


def main(argv: Sequence[str] | None = None) -> int:
    """Fill, measure and print."""
    parser = argparse.ArgumentParser(prog="bench finish", description=__doc__)
    parser.add_argument("--matches", type=int, default=1_000_000, help="of the history")
    parser.add_argument("--bots", type=int, default=300)
    parser.add_argument("--pool", type=int, default=2000, help="tables played for it")
    parser.add_argument("--more", type=int, default=100, help="matches finished and rated")
    options = parser.parse_args(argv)
    with servers() as addresses:
        environment = filled(addresses, matches=options.matches, bots=options.bots, pool=options.pool)
        lines = probe(environment, "bench._finish_probe", str(options.more))
    return 0 if judge(lines) else 1


def judge(lines: Sequence[Mapping[str, float]]) -> bool:
    """Print the figures of these matches (as :mod:`bench._finish_probe` tells them); whether all are as they must be."""
    n = len(lines)
    for what in ("finish", "rate"):
        figure(f"{what}_calls_p50", share([line[f"{what}_calls"] for line in lines], 0.5), "ms", n)
        figure(f"{what}_queries", max(line[f"{what}_queries"] for line in lines), "queries", n)
    worked = {what: [line[f"{what}_database"] for line in lines] for what in ("finish", "rate")}
    worked["finish_and_rate"] = [sum(both) for both in zip(*worked.values(), strict=True)]
    held = [
        at_most(f"{what}_database_{name}", value, "ms/match", n, MOST_MS)
        for what, spent in worked.items()
        for name, value in (("mean", fmean(spent)), ("p95", share(spent, 0.95)))
    ]
    return all(held)
