"""``./run battery``: every hostile bot, in both backends, as root and as an ordinary user, N times over."""

from __future__ import annotations

import argparse
import json
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from botapi.sandbox import KINDS
from games.commandline.progress import Progress
from tests.botapi.sandbox import batteries, carrying

Form = tuple[str, str]
LEFT_OVER = ("running", "knocked", "changed", "processes", "sockets", "written")


@dataclass
class Tally:
    """What one form of the battery came to, over all rounds."""

    bots: int = 0
    seen: dict[str, str] = field(default_factory=dict)
    """By bot, what came of it last or, if it ever went wrong, then."""
    faults: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def add(self, line: dict[str, Any]) -> None:
        """One line of a battery."""
        if "bot" in line:
            self.bots += 1
            if not line["faults"]:
                self.seen.setdefault(line["bot"], " ".join(dict.fromkeys(line["seen"])))
                return
            self.seen[line["bot"]] = "WRONG"
            self.faults += [f"{line['bot']}: {fault} ({line['told'][-200:]})" for fault in line["faults"]]
        elif "left" in line:
            left = line["left"]
            self.left += [f"{kind}: {what}" for kind in LEFT_OVER for what in left.get(kind, [])]
            if left["victim"] != "alive":
                self.left.append("another bot was harmed")


def play_round(forms: Sequence[Form], only: Sequence[str], tallies: dict[Form, Tally], bar: Progress) -> None:
    """All forms side by side, once."""
    lines: queue.Queue[tuple[Form, str]] = queue.Queue()

    def read(form: batteries.Running) -> None:
        assert form.process.stdout is not None
        for line in form.process.stdout:
            lines.put(((form.kind, form.user), line))
        lines.put(((form.kind, form.user), ""))

    with tempfile.TemporaryDirectory() as directory:
        batteries.copy_for_all(Path(directory))
        with batteries.running(Path(directory), forms, only) as running:
            for form in running:
                threading.Thread(target=read, args=(form,), daemon=True).start()
            going = len(running)
            while going:
                form_of_line, line = lines.get()
                if not line:
                    going -= 1
                    continue
                found = json.loads(line)
                tallies[form_of_line].add(found)
                if "bot" in found:
                    bar.step()
            for form in running:
                _, told = form.process.communicate()
                if form.process.returncode:
                    tallies[form.kind, form.user].faults.append(f"the battery itself failed: {told[-1500:]}")


def table(tallies: dict[Form, Tally], names: Sequence[str]) -> str:
    """What came of each bot in each form, and the sums."""
    heads = ["bot", *(f"{kind} {user}" for kind, user in tallies)]
    rows = [heads, *([name, *(tally.seen.get(name, "-") for tally in tallies.values())] for name in names)]
    rows += [["", *("" for _ in tallies)]]
    rows += [["bots played", *(str(tally.bots) for tally in tallies.values())]]
    rows += [["not as expected", *(str(len(tally.faults)) for tally in tallies.values())]]
    rows += [["left over", *(str(len(tally.left)) for tally in tallies.values())]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./run battery",
        description="Every hostile bot, in both backends, as root and as an ordinary user, N times over.",
        epilog="Exit status 0: no breach, nothing left over, every bot came to its expected end; 1: not so. "
        "As root it also runs everything as users without an account; else only as whoever starts it.",
    )
    parser.add_argument("bots", nargs="*", metavar="BOT", help="bots of tests/bots/hostile (default: all)")
    parser.add_argument("--rounds", type=int, default=3, help="how many times (default 3)")
    parser.add_argument("--backend", choices=KINDS, help="one backend (default: both)")
    parser.add_argument("--user", choices=batteries.USERS, help="one kind of user (default: all)")
    parser.add_argument("--json", action="store_true", help="the outcome as one JSON object")
    options = parser.parse_args(argv)
    for name in options.bots:
        if name not in batteries.NAMES:
            parser.error(f"there is no bot {name}")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Run it, print what came."""
    options = _options(argv)
    kinds = [options.backend] if options.backend else list(KINDS)
    users = [options.user] if options.user else list(batteries.USERS)
    refusals = {kind: reason for kind, reason in carrying.refusals().items() if kind in kinds}
    forms = [(kind, user) for kind in kinds if kind not in refusals for user in users]
    names = options.bots or batteries.NAMES
    tallies = {form: Tally() for form in forms}
    began = time.monotonic()
    again = sum(name.startswith("persist") for name in names)
    bar = Progress(options.rounds * len(forms) * (len(names) + again), "bots")
    for _ in range(options.rounds if forms else 0):
        play_round(forms, options.bots, tallies, bar)
    bar.close()
    fine = not refusals and not any(tally.faults or tally.left for tally in tallies.values())
    seconds = round(time.monotonic() - began, 1)
    if options.json:
        told = {f"{kind} {user}": vars(tally) for (kind, user), tally in tallies.items()}
        print(json.dumps({"fine": fine, "seconds": seconds, "refused": refusals, "forms": told}))
    else:
        print(table(tallies, names))
        for (kind, user), tally in tallies.items():
            for what in (*tally.faults, *tally.left):
                print(f"{kind} as {user}: {what}", file=sys.stderr)
        for kind, reason in refusals.items():
            print(f"{kind} was not run: {reason}", file=sys.stderr)
        verdict = "nothing broke out, nothing is left" if fine else "NOT as it should be"
        print(f"{options.rounds} rounds in {seconds} s: {verdict}")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
