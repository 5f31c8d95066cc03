"""``thousand check``: the same check that a submitted version goes through, here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from games.commandline import local, rules
from games.commandline.errors import CommandFailed
from games.commandline.tables import check_text
from games.host import JobLine

if TYPE_CHECKING:
    import argparse


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("check", help="check a bot as the service will")
    parser.add_argument(
        "bot", metavar="FILE|URL", help="a .py file, a .zip, a directory or an http(s) address"
    )
    rules.add_rules(parser)
    parser.add_argument("--json", action="store_true", help="print the whole report as JSON")
    local.add_seats(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check the bot; 1 when it fails."""
    ruleset = rules.ruleset_of(options)
    ends: list[dict[str, Any]] = []
    with local.workshop() as root:
        seat = local.seat_of(options.bot, options, root, deal_limit=ruleset.deal_limit)
        local.say_if_unsandboxed(options, [seat])
        seed = rules.match_seed("check", 0, "check")
        job = JobLine(
            match="check",
            attempt=1,
            rules=ruleset.to_json(),
            seed=seed.hex(),
            seats=(seat,),
            job="check",
            purpose="check",
        )
        local.run_jobs([job], root, plain=options.no_sandbox, on_end=ends.append)
    event = ends[0]
    if event["type"] != "checked":
        raise CommandFailed(f"no check: {local.why(event)}")
    _show(event["report"], as_json=options.json)
    return int(event["report"]["verdict"] == "failed")


def _show(report: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(readable(report)))
        return
    print(check_text(report))
    if report["verdict"] == "failed" and report["turns"]:
        last = readable(report)["turns"][-1]
        print(f"\nrequest: {json.dumps(last['request'])}\nanswer:  {last['answer'] or '(none)'}")


def readable(report: dict[str, Any]) -> dict[str, Any]:
    """The report with its requests as values: on the host they are still the bytes that were sent."""
    turns = [
        {**turn, "request": json.loads(bytes(turn["request"])) if turn["request"] is not None else None}
        for turn in report["turns"]
    ]
    return {**report, "turns": turns}
