"""``thousand logs``: the private logs of one's own bots in a match."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from botapi.explanations import MEANINGS
from botapi.faults import GOOD_VERDICTS, LATE
from games.commandline import rules
from games.commandline.service import Service, add_server
from games.commandline.tables import counted, paragraph, place, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

SLOWEST: Final = 5
MOST_SEATS: Final = 4


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "logs",
        help="the private log of your bot in a match",
        description="What your bots were asked in a match, what they answered and wrote to stderr, and each fault "
        "with its rule. The token needs the scope logs:read.",
    )
    parser.add_argument("match", type=int, help="the match's number")
    parser.add_argument("--seat", type=int, help="one seat only, from 1 (default: each of your bots)")
    parser.add_argument(
        "--turns",
        action="store_true",
        help="print every request and answer, one JSON object a line; seats count from 0 in it",
    )
    rules.add_json(parser, "print the logs as JSON")
    add_server(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Fetch and print."""
    service = Service(options)
    path = f"/api/v1/matches/{options.match}/logs/"
    if options.seat is not None:
        seats = [rules.index_of(options.seat, MOST_SEATS, "seat")]
    else:
        seats = sorted({line["seat"] for line in service.call("GET", path)})
    logs = [service.call("GET", f"{path}{seat}/") for seat in seats]
    if options.json:
        print(json.dumps(logs))
    elif options.turns:
        for log in logs:
            for turn in log["turns"]:
                print(json.dumps({"seat": log["seat"], **turn}))
    else:
        print("\n\n".join(_text(log, options.match) for log in logs))
    return 0


def _text(log: Mapping[str, Any], match: int) -> str:
    turns = log["turns"]
    good = sum(turn.get("verdict") in GOOD_VERDICTS for turn in turns)
    counts = f"{counted(len(turns), 'request')}, {good} answered well, {counted(len(log['faults']), 'fault')}"
    parts = [f"match {match}, seat {log['seat'] + 1}: {counts}"]
    for fault in log["faults"]:
        message = fault["message"].partition("\n")[0]
        parts.append(paragraph(f"{fault['code']} in {place(fault['deal'], fault['action'])}: {message}"))
    if log["oddities"]:
        late = any(line.startswith(f"{LATE}:") for line in log["oddities"])
        parts.append("\n".join(log["oddities"]) + (f"\n({MEANINGS[LATE]})" if late else ""))
    if log["stderr"]:
        parts.append(f"stderr:\n{log['stderr'].rstrip()}")
    slowest = sorted(turns, key=lambda turn: -turn.get("used_ms", 0))[:SLOWEST]
    rows = [
        (turn["n"], round(turn.get("used_ms", 0), 1), turn.get("verdict", ""), turn.get("action", ""))
        for turn in slowest
    ]
    parts.append(table(["slowest request", "ms", "verdict", "action"], rows))
    parts.append(f"Repeat it here: thousand rerun {match} FILE --seat {log['seat'] + 1}")
    return "\n\n".join(parts)
