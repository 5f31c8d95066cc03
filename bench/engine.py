"""Speed of the engine: random legal play of whole deals, dealing included, on one core.

Actions are all that a record holds, the engine's own included: of a decision without a choice, too.

One JSON line a figure: the median of several runs, in processor time, so that a busy machine says nearly the same;
``_best`` is the fastest run, which it disturbed least. ``--compiled`` measures the same sources compiled by mypyc in a
temporary folder; the package itself stays plain Python.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench._figures import figure

SOURCES = Path(__file__).parent.parent / "engine"
LOWEST = 4
"""In auction and contract one of the first so many actions is taken: the play is of contracts near what can be made."""


def matches(
    rules: str, seconds: float, watch: Callable[[Any], object] | None = None
) -> tuple[int, int, float]:
    """Random matches for some seconds: actions (forced ones too), deals, processor seconds."""
    from engine import PRESETS, Game

    ruleset, draw = PRESETS[rules], random.Random(7).random
    actions = deals = number = 0
    start = time.process_time()
    while time.process_time() - start < seconds:
        game = Game(ruleset, seed=hashlib.sha256(f"bench {number}".encode()).digest())
        number += 1
        apply = game.apply
        while game.seat is not None:
            if watch is not None:
                watch(game)
            legal = game.legal
            choices = len(legal)
            if choices > LOWEST and game.phase in ("auction", "contract"):
                choices = LOWEST
            apply(legal[int(draw() * choices)])
        actions += sum(len(deal.actions) for deal, _, _ in game.finished)
        deals += len(game.finished)
    return actions, deals, time.process_time() - start


def view_cost(rules: str, seconds: float) -> tuple[int, float]:
    """Views built at decisions of random play, and the processor seconds they alone took."""
    spent = 0.0
    count = 0

    def watch(game: Any) -> None:
        nonlocal spent, count
        start = time.process_time()
        game.view(game.seat)
        spent += time.process_time() - start
        count += 1

    matches(rules, seconds, watch)
    return count, spent


def measure(rules: list[str], seconds: float, runs: int, label: str) -> None:
    """Print the figures of the engine that is imported; each run takes its share of the seconds."""

    def told(name: str, unit: str, counts: list[int], spent: list[float]) -> None:
        rates = [count / second for count, second in zip(counts, spent, strict=True)]
        figure(name, statistics.median(rates), f"{unit}/s", sum(counts), 1)
        figure(f"{name}_best", max(rates), f"{unit}/s", sum(counts), 1)

    for name in rules:
        actions, deals, spent = map(
            list, zip(*(matches(name, seconds / runs) for _ in range(runs)), strict=True)
        )
        told(f"engine_actions_{label}_{name}", "actions", actions, spent)
        told(f"engine_deals_{label}_{name}", "deals", deals, spent)
    views, spent = map(list, zip(*(view_cost(rules[0], seconds / runs) for _ in range(runs)), strict=True))
    told(f"engine_views_{label}_{rules[0]}", "views", views, spent)


def compiled(rules: list[str], seconds: float, runs: int) -> int:
    """Measure the compiled engine in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        if not built(Path(folder), _modules_of_a_game()):
            return 1
        code = f"from bench.engine import measure; measure({rules!r}, {seconds!r}, {runs!r}, 'compiled')"
        paths = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{Path(__file__).parent.parent}"}
        return subprocess.run([sys.executable, "-c", code], cwd=folder, env=paths, check=False).returncode


def built(folder: Path, modules: list[str]) -> bool:
    """Copy the engine into ``folder`` and compile these modules of it there; says why if they do not compile."""
    package = folder / "engine"
    package.mkdir()
    for source in SOURCES.glob("*.py"):
        shutil.copy(source, package)
    (folder / "mypy.ini").write_text("[mypy]\n", encoding="utf-8")
    files = [f"engine/{module}.py" for module in modules]
    done = subprocess.run(
        [sys.executable, "-m", "mypyc", *files], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(done.stdout[-3000:], done.stderr[-3000:], file=sys.stderr)
    return done.returncode == 0


def _modules_of_a_game() -> list[str]:
    """The modules of the engine that playing imports."""
    importlib.import_module("engine")
    return sorted(name.removeprefix("engine.") for name in sys.modules if name.startswith("engine."))


def main(argv: list[str] | None = None) -> int:
    """Print the figures; returns the exit status."""
    parser = argparse.ArgumentParser(prog="bench engine", description="speed of the engine")
    parser.add_argument(
        "--rules", nargs="+", default=["pl-3", "ru-3", "pl-2"], help="presets (default: three)"
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="for each figure (default 3)")
    parser.add_argument("--runs", type=int, default=5, help="of each figure, in these seconds (default 5)")
    parser.add_argument("--compiled", action="store_true", help="measure the mypyc-compiled sources, too")
    options = parser.parse_args(argv)
    measure(options.rules, options.seconds, options.runs, "plain")
    return compiled(options.rules, options.seconds, options.runs) if options.compiled else 0


if __name__ == "__main__":
    sys.exit(main())
