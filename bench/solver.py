"""Speed of the solver, on one core: deals with eight tricks to play and the contract that was announced.

Counters bid, exchange and announce, so that the contract is near what they think the hand is worth; where more
than eight tricks are to be played they play the first ones too. Every question starts from an empty table.

One JSON line a figure, in processor time: median and 95th percentile of ``made`` (can the contract be made?) and of
``makes`` (the same for every legal card). Of every fifth deal also ``points`` (exact points for every legal card) and
``close``: ``made`` of the very points that the deal is worth and of one more, which is hardest to tell.
``--compiled`` measures the sources compiled by mypyc, too.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench._figures import figure
from bench.engine import built

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TRICKS = 8
EVERY = 5
"""One of so many deals is solved for its exact points."""
QUESTIONS = ("made", "makes", "points", "close")
RULES = ["pl-3", "natjar-3", "cz-3", "ru-3", "nl-3", "pl-2"]
MODULES = "actions cards deal errors options presets ranked ruleset solver tricks"
"""What is compiled for a solver: itself and what it reads."""


def positions(rules: str, count: int) -> Iterator[tuple[Any, int]]:
    """So many positions on lead, with their contracts."""
    from botapi import house
    from engine import PRESETS, Game
    from engine.solver import Position

    found = number = 0
    while found < count:
        number += 1
        seed = hashlib.sha256(f"solver {rules} {number}".encode()).digest()
        game = Game(PRESETS[rules], seed=seed)
        draws = [house.Draws(seed, seat) for seat in range(game.ruleset.players)]
        while game.seat is not None and game.deal == 0:
            deal = game.current
            if game.phase == "play" and not deal.position and deal.hands[game.seat].bit_count() <= TRICKS:
                found += 1
                yield Position.of(game), deal.contract
                break
            seat = game.seat
            game.apply(house.choose("counter", game.view(seat), game.legal, draws[seat]))


def measure(rules: list[str], deals: int, label: str) -> None:
    """Print the figures of the solver that is imported: of each rule set, and of all together."""
    from engine.solver import made, makes, points

    everything: dict[str, list[float]] = {question: [] for question in QUESTIONS}
    for name in rules:
        spent: dict[str, list[float]] = {question: [] for question in QUESTIONS}
        for number, (position, contract) in enumerate(positions(name, deals)):
            timed(spent["made"], made, position, contract)
            timed(spent["makes"], makes, position, contract)
            if number % EVERY == 0:
                found = timed(spent["points"], points, position)
                worth = max(found.values()) if position.leader == 0 else min(found.values())
                timed(spent["close"], made, position, worth)
                timed(spent["close"], made, position, worth + 1)
        for question, times in spent.items():
            told(f"solver_{question}_{label}_{name}", times)
            everything[question] += times
    for question, times in everything.items():
        told(f"solver_{question}_{label}", times)


def timed(times: list[float], ask: Callable[..., Any], *question: Any) -> Any:
    """The answer; its milliseconds of processor time are added to ``times``."""
    start = time.process_time()
    answer = ask(*question)
    times.append(1000 * (time.process_time() - start))
    return answer


def told(name: str, times: list[float]) -> None:
    """Median and 95th percentile of some milliseconds."""
    times = sorted(times)
    figure(f"{name}_median", times[len(times) // 2], "ms", len(times), 2)
    figure(f"{name}_p95", times[len(times) * 95 // 100], "ms", len(times), 2)


def compiled(rules: list[str], deals: int) -> int:
    """Measure the compiled solver in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        if not built(Path(folder), MODULES.split()):
            return 1
        code = f"from bench.solver import measure; measure({rules!r}, {deals!r}, 'compiled')"
        paths = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{Path(__file__).parent.parent}"}
        return subprocess.run([sys.executable, "-c", code], cwd=folder, env=paths, check=False).returncode


def main(argv: list[str] | None = None) -> int:
    """Print the figures; returns the exit status."""
    parser = argparse.ArgumentParser(prog="bench solver", description="speed of the solver")
    parser.add_argument("--rules", nargs="+", default=RULES, help="presets (default: six)")
    parser.add_argument("--deals", type=int, default=100, help="of each preset (default 100)")
    parser.add_argument("--compiled", action="store_true", help="measure the mypyc-compiled sources, too")
    options = parser.parse_args(argv)
    measure(options.rules, options.deals, "plain")
    return compiled(options.rules, options.deals) if options.compiled else 0


if __name__ == "__main__":
    sys.exit(main())
