"""``thousand play``: one full match on this machine, with its deals as a table and its record in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from games.commandline import local, rules
from games.commandline.errors import CommandFailed, UsageFailed
from games.commandline.tables import deal_table, fault_lines, place_table
from games.commandline.workshop import workshop
from games.host import JobLine

if TYPE_CHECKING:
    import argparse


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "play",
        help="play one full match here",
        description="Play one full match. A bot is a .py file, a .zip, a directory with main.py, an http(s) "
        "address, or a house bot: random, first, greedy, counter.",
    )
    parser.add_argument("bots", nargs="+", metavar="BOT", help="one for each seat")
    rules.add_rules(parser)
    parser.add_argument("--seed", help="any word; the same seed deals the same cards")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the record goes (default match.json)")
    rules.add_json(parser, "print the result as JSON instead of tables")
    local.add_seats(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play the match; 1 when it could not be played."""
    ruleset = rules.ruleset_of(options)
    if len(options.bots) != ruleset.players:
        raise UsageFailed(
            f"{ruleset.name} is for {ruleset.players} players, {len(options.bots)} bots were named"
        )
    ends: list[dict[str, Any]] = []
    with workshop() as root:
        seats = tuple(
            local.seat_of(word, options, root, deal_limit=ruleset.deal_limit) for word in options.bots
        )
        local.say_if_unsandboxed(options, seats)
        seed = rules.match_seed(options.seed, 0, "play")
        job = JobLine(match="local", attempt=1, rules=ruleset.to_json(), seed=seed.hex(), seats=seats)
        local.run_jobs([job], root, plain=options.no_sandbox, on_end=ends.append)
    return show(ends[0], options)


def show(event: dict[str, Any], options: argparse.Namespace) -> int:
    """Print how the match ended and write its record."""
    if event["type"] != "finished":
        tail = f"\nits stderr:\n{event['stderr']}" if event.get("stderr") else ""
        raise CommandFailed(f"no match: {local.why(event)}{tail}")
    record = event["record"]
    path: Path = options.out or Path("match.json")
    try:
        path.write_text(json.dumps(record, separators=(",", ":")) + "\n")
    except OSError as error:
        raise CommandFailed(f"{path} cannot be written: {error.strerror}") from error
    if options.json:
        faults = [
            {key: fault[key] for key in ("seat", "code", "detail", "deal", "action")}
            for fault in event["faults"]
        ]
        print(
            json.dumps(
                {
                    "result": record["result"],
                    "faults": faults,
                    "record": str(path),
                    "seconds": event["seconds"],
                }
            )
        )
        return 0
    print(deal_table(record))
    print()
    print(place_table(record))
    for line in fault_lines(event["faults"], record):
        print(line)
    for seat, log in zip(record["seats"], event["logs"], strict=True):
        if log["stderr"]:
            print(f"\nstderr of {seat['name']}:\n{log['stderr']}")
    print(f"\n{event['decisions']} decisions in {event['seconds']:.2f} s; record in {path}")
    return 0
