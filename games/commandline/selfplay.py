"""``thousand selfplay``.

Records of random legal play, the same bytes for the same seed (protocol.md section 6).
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final, TextIO

from botapi.house import Draws
from engine import Game
from games.commandline import rules
from games.commandline.errors import CommandFailed, UsageFailed
from games.commandline.progress import Progress

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from engine import RuleSet

SELDOM: Final = frozenset({"redeal", "concede"})
"""Taken once in so many offers, so that deals are played."""
ONCE_IN: Final = 8


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("selfplay", help="write records of random legal play")
    rules.add_rules(parser)
    parser.add_argument("--matches", type=int, default=1, help="how many (default 1)")
    parser.add_argument(
        "--seed", default="0", help="any word; the same seed writes the same bytes (default 0)"
    )
    parser.add_argument(
        "--legal", action="store_true", help="add to each deal the legal actions at each action"
    )
    parser.add_argument("--out", default="-", metavar="FILE", help="where to, - for the screen (default)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play and write."""
    if options.matches < 1:
        raise UsageFailed("--matches is at least 1")
    ruleset = rules.ruleset_of(options)
    if options.out == "-":
        _write(sys.stdout, options, ruleset)
        return 0
    try:
        with open(options.out, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 - as open as stdout is
            _write(file, options, ruleset)
    except OSError as error:
        raise CommandFailed(f"{options.out} cannot be written: {error.strerror}") from error
    return 0


def _write(file: TextIO, options: argparse.Namespace, ruleset: RuleSet) -> None:
    progress = Progress(options.matches, "matches")
    for number in range(options.matches):
        record = play_match(
            ruleset, rules.match_seed(options.seed, number, "selfplay"), str(number), legal=options.legal
        )
        file.write(json.dumps(record, separators=(",", ":")) + "\n")
        progress.step()
    progress.close()


def play_match(ruleset: RuleSet, seed: bytes, match: str, *, legal: bool) -> dict[str, Any]:
    """The record of one match of random legal play; with ``legal`` its deals hold the legal actions too."""
    game = Game(ruleset, seed=seed)
    draws = Draws(seed, 0)
    while game.seat is not None:
        draws.next_decision()
        game.apply(random_action(game.legal, draws))
    seats = [{"name": "random", "version": "1"} for _ in range(ruleset.players)]
    record = game.record(match=match, seats=seats, stand_ins=[])
    return with_legal(record) if legal else record


def random_action(legal: Sequence[str], draws: Draws) -> str:
    """Any legal action, but seldom a redeal or a concession.

    Bids and contracts near the lowest are taken, so that matches end.
    """
    rare = [action for action in legal if action in SELDOM]
    if rare and not draws.below(ONCE_IN):
        return rare[draws.below(len(rare))]
    choices = [action for action in legal if action not in SELDOM] or list(legal)
    numbers = [action for action in choices if action.startswith(("bid:", "contract:"))]
    if numbers:
        others = [action for action in choices if action not in numbers]
        if others and draws.below(3):
            return others[draws.below(len(others))]
        return numbers[draws.below(min(3, len(numbers)))]
    return choices[draws.below(len(choices))]


def with_legal(record: dict[str, Any]) -> dict[str, Any]:
    """The record with ``legal`` in each deal, directly after ``actions``."""
    from engine.record import legal_lists

    lists = legal_lists(record)
    deals = []
    for deal, legal in zip(record["deals"], lists, strict=True):
        widened: dict[str, Any] = {}
        for key, value in deal.items():
            widened[key] = value
            if key == "actions":
                widened["legal"] = legal
        deals.append(widened)
    return {**record, "deals": deals}
