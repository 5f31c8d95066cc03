"""``thousand arena``: many matches between the same bots, seats rotated, and a table of how they did."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from games.commandline import local, rules
from games.commandline.errors import CommandFailed, UsageFailed
from games.commandline.progress import Progress
from games.commandline.tables import paragraph, table
from games.commandline.workshop import workshop
from games.host import JobLine

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from engine import RuleSet
    from games.job import SeatJob


NAME: Final = "arena-"
"""What its matches are called, with their number."""
SHOWN_FAULTS: Final = 3


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("arena", help="play many matches here and compare the bots")
    parser.add_argument("bots", nargs="+", metavar="BOT", help="one for each seat; the seats rotate")
    rules.add_rules(parser)
    parser.add_argument("--matches", "-n", type=int, default=30, help="how many (default 30)")
    parser.add_argument("--seed", help="any word; the same seed deals the same cards")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the records, one a line")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    local.add_seats(parser)
    parser.set_defaults(run=run)


@dataclass(slots=True)
class Standing:
    """How one bot has done."""

    name: str
    matches: int = 0
    wins: int = 0
    places: list[int] = field(default_factory=list)
    totals: int = 0
    declared: int = 0
    made: int = 0
    faults: int = 0
    told: list[str] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """Its line of the table; ``mean_place_error`` is one standard error."""
        count = max(1, len(self.places))
        mean = sum(self.places) / count
        spread = math.sqrt(sum((place - mean) ** 2 for place in self.places) / count)
        return {
            "bot": self.name,
            "matches": self.matches,
            "wins": self.wins,
            "mean_place": round(mean, 3),
            "mean_place_error": round(spread / math.sqrt(count), 3),
            "mean_total": round(self.totals / count, 1),
            "contracts": self.declared,
            "made": round(self.made / max(1, self.declared), 3),
            "faults": self.faults,
        }


def run(options: argparse.Namespace) -> int:
    """Play the matches; 1 when one could not be played."""
    ruleset = rules.ruleset_of(options)
    if len(options.bots) != ruleset.players:
        raise UsageFailed(
            f"{ruleset.name} is for {ruleset.players} players, {len(options.bots)} bots were named"
        )
    if options.matches < 1:
        raise UsageFailed("--matches is at least 1")
    bots = options.bots
    names = [word if bots.count(word) == 1 else f"{word}/{n}" for n, word in enumerate(bots, 1)]
    standings = [Standing(name) for name in names]
    records: list[str] = []
    progress = Progress(options.matches, "matches")

    def on_end(event: dict[str, Any]) -> None:
        if event["type"] != "finished":
            raise CommandFailed(f"match {event.get('match')}: {local.why(event)}")
        _enter(standings, event, int(event["match"].removeprefix(NAME)))
        if options.out:
            records.append(json.dumps(event["record"], separators=(",", ":")))
        progress.step()

    with workshop() as root:
        seats = [local.seat_of(word, options, root, deal_limit=ruleset.deal_limit) for word in options.bots]
        local.say_if_unsandboxed(options, seats)
        try:
            local.run_jobs(_jobs(options, ruleset, seats), root, plain=options.no_sandbox, on_end=on_end)
        finally:
            progress.close()
    if options.out:
        options.out.write_text("\n".join(records) + "\n")
    _show([standing.row() for standing in standings], as_json=options.json)
    for standing in standings if not options.json else ():
        for text in standing.told[:SHOWN_FAULTS]:
            print("\n" + paragraph(text))
        more = len(standing.told) - SHOWN_FAULTS
        if more > 0:
            print(f"\nand {more} more of {standing.name}")
    return 0


def _jobs(options: argparse.Namespace, ruleset: RuleSet, seats: Sequence[SeatJob]) -> Iterator[JobLine]:
    for number in range(options.matches):
        turn = number % len(seats)
        yield JobLine(
            match=f"{NAME}{number}",
            attempt=1,
            rules=ruleset.to_json(),
            seed=rules.match_seed(options.seed, number, "arena").hex(),
            seats=tuple(seats[turn:]) + tuple(seats[:turn]),
        )


def _enter(standings: list[Standing], event: dict[str, Any], number: int) -> None:
    record, count = event["record"], len(standings)
    for seat in range(count):
        standing = standings[(seat + number) % count]
        standing.matches += 1
        place = record["result"]["places"][seat]
        standing.places.append(place)
        standing.wins += place == 1
        standing.totals += record["result"]["totals"][seat]
        own = [fault for fault in event["faults"] if fault["seat"] == seat]
        standing.faults += len(own)
        standing.told += [f"fault of {standing.name}, {fault['code']}: {fault['message']}" for fault in own]
        for deal in record["deals"]:
            if deal["declarer"] == seat:
                standing.declared += 1
                standing.made += deal["contract"] is not None and deal["points"][seat] >= deal["contract"]


def _show(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    rows.sort(key=lambda row: row["mean_place"])
    if as_json:
        print(json.dumps(rows))
        return
    head = ["bot", "matches", "wins", "mean place", "±", "mean total", "contracts", "made", "faults"]
    print(table(head, [list(row.values()) for row in rows]))
