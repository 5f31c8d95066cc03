"""Speed of the engine: random legal play of whole deals, dealing included, on one core.

One JSON line a figure. ``--compiled`` measures the same sources compiled by mypyc in a temporary folder; the
package itself stays plain Python. Times are processor times, so that a busy machine says nearly the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent.parent / "engine"


def figure(name: str, value: float, unit: str, n: int) -> None:
    """Print one figure."""
    print(json.dumps({"name": name, "value": round(value, 1), "unit": unit, "n": n}), flush=True)


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
            apply(legal[int(draw() * len(legal))])
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


def measure(rules: list[str], seconds: float, label: str) -> None:
    """Print the figures of the engine that is imported."""
    for name in rules:
        actions, deals, spent = matches(name, seconds)
        figure(f"engine_actions_{label}_{name}", actions / spent, "actions/s", actions)
        figure(f"engine_deals_{label}_{name}", deals / spent, "deals/s", deals)
    views, spent = view_cost(rules[0], seconds)
    figure(f"engine_views_{label}_{rules[0]}", views / spent, "views/s", views)


def compiled(rules: list[str], seconds: float) -> int:
    """Compile a copy of the sources and measure it in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "engine"
        package.mkdir()
        for source in SOURCES.glob("*.py"):
            shutil.copy(source, package)
        files = sorted(
            str(file.relative_to(folder)) for file in package.glob("*.py") if file.stem != "__init__"
        )
        (Path(folder) / "mypy.ini").write_text("[mypy]\n", encoding="utf-8")
        built = subprocess.run(
            [sys.executable, "-m", "mypyc", *files], cwd=folder, capture_output=True, text=True, check=False
        )
        if built.returncode:
            print(built.stdout[-3000:], built.stderr[-3000:], file=sys.stderr)
            return 1
        shutil.copy(__file__, Path(folder) / "measured.py")
        code = f"import measured; measured.measure({rules!r}, {seconds!r}, 'compiled')"
        return subprocess.run([sys.executable, "-c", code], cwd=folder, check=False).returncode


def main(argv: list[str] | None = None) -> int:
    """Print the figures; returns the exit status."""
    parser = argparse.ArgumentParser(prog="bench engine", description="speed of the engine")
    parser.add_argument(
        "--rules", nargs="+", default=["pl-3", "ru-3", "pl-2"], help="presets (default: three)"
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="for each figure (default 3)")
    parser.add_argument("--compiled", action="store_true", help="measure the mypyc-compiled sources, too")
    options = parser.parse_args(argv)
    measure(options.rules, options.seconds, "plain")
    return compiled(options.rules, options.seconds) if options.compiled else 0


if __name__ == "__main__":
    sys.exit(main())
