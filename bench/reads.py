"""``./run bench reads``: what pages and their API twins cost the server in a large history and in a small one.

Fills two databases of its own (``manage.py fill``) and asks for random bots, pairs and matches, in process and on one
core. Server time is processor time, the server's and the database's; the time by the clock stands beside it, and says
the same on a machine that does nothing else. Then the rating log of the large history is audited. One JSON line a figure;
exit code 1 when one is not as it must be.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from bench._figures import at_most, figure
from bench._filled import filled, probe, servers

MOST_MS = 60.0
MOST_TIMES = 1.5
MOST_AUDIT_S = 60.0
"""For a million matches, on one core (ratings.md); in proportion for others, but a second for any."""


def main(argv: Sequence[str] | None = None) -> int:
    """Fill, measure and print."""
    parser = argparse.ArgumentParser(prog="bench reads", description=__doc__)
    parser.add_argument("--matches", type=int, default=1_000_000, help="of the large history")
    parser.add_argument("--small", type=int, default=10_000, help="of the small one")
    parser.add_argument("--bots", type=int, default=300)
    parser.add_argument("--pool", type=int, default=2000, help="tables played for each")
    parser.add_argument("--requests", type=int, default=200, help="for each page, each of another address")
    options = parser.parse_args(argv)
    found = {}
    with servers() as addresses:
        for size, count in (("small", options.small), ("large", options.matches)):
            environment = filled(addresses, matches=count, bots=options.bots, pool=options.pool)
            found[size] = _measure(environment, options.requests)
        held = [compare(page, found["small"][page], large) for page, large in found["large"].items()]
        (audited,) = probe(environment, "bench._audit_probe")
        held.append(judge_audit(audited))
    return 0 if all(held) else 1


def _measure(environment: dict[str, str], requests: int) -> dict[str, dict[str, Any]]:
    return {line["page"]: line for line in probe(environment, "bench._reads_probe", str(requests))}


def judge_audit(audited: dict[str, float]) -> bool:
    """Print what the audit of this log took (as :mod:`bench._audit_probe` tells it); whether it may."""
    matches = int(audited["matches"])
    figure(f"audit_{matches}_clock", audited["clock_s"], "s", matches)
    most = max(1.0, MOST_AUDIT_S * matches / 1_000_000)
    return at_most(f"audit_{matches}", audited["server_s"], "s", matches, most)


def compare(page: str, small: dict[str, Any], large: dict[str, Any]) -> bool:
    """Print the figures of a page; whether all are as they must be."""
    n, name = large["n"], f"reads_{page}"
    figure(f"{name}_p50", large["p50"], "ms", n)
    figure(f"{name}_clock_p95", large["clock_p95"], "ms", n)
    figure(f"{name}_times_p50", large["p50"] / small["p50"], "times", n)
    held = [
        at_most(f"{name}_p95", large["p95"], "ms", n, MOST_MS),
        at_most(f"{name}_times_p95", large["p95"] / small["p95"], "times", n, MOST_TIMES),
        at_most(f"{name}_queries", large["queries"], "queries", n, small["queries"]),
    ]
    return all(held)
