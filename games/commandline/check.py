"""``thousand check``: the same check that a submitted version goes through, here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

from botapi.drivers.base import STARVED
from botapi.house import HOUSE_BOTS
from games.check_report import CheckReport
from games.commandline import local, rules
from games.commandline.errors import CommandFailed, MachineFailed, UsageFailed
from games.commandline.tables import check_text
from games.commandline.workshop import workshop
from games.host import JobLine

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from engine import RuleSet
    from games.job import SeatJob

TRIES: Final = 2
"""As in the service a check is repeated once where the machine was starved (protocol.md section 5)."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("check", help="check a bot as the service will")
    parser.add_argument(
        "bot", metavar="FILE|URL", help="a .py file, a .zip, a directory or an http(s) address"
    )
    rules.add_rules(parser)
    rules.add_json(parser, "print the whole report as JSON")
    local.add_seats(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check the bot; 1 when it fails, 3 when this machine was too busy to tell."""
    try:
        report = _report(options)
    except CommandFailed as error:
        if options.json:
            _show(_unchecked(error), as_json=True)
        raise
    _show(report, as_json=options.json)
    return int(report["verdict"] == "failed")


def _report(options: argparse.Namespace) -> dict[str, Any]:
    """The report of the check, which is begun once more where the machine was too busy."""
    if options.bot in HOUSE_BOTS:
        raise UsageFailed("a house bot needs no check")
    ruleset = rules.ruleset_of(options)
    ends: list[dict[str, Any]] = []
    with workshop() as root:
        seat = local.seat_of(options.bot, options, root, deal_limit=ruleset.deal_limit)
        local.say_if_unsandboxed(options, [seat])
        jobs = _tries(seat, ruleset, ends)
        local.run_jobs(jobs, root, plain=options.no_sandbox, on_end=ends.append)
    event = ends[-1]
    if event["type"] == "checked":
        return cast("dict[str, Any]", event["report"])
    if local.why(event).startswith(STARVED):
        raise MachineFailed(
            f"no check: this machine is too busy, {TRIES} times the bot got next to nothing of it; "
            f"that says nothing about the bot: try again when less is running ({local.why(event)})"
        )
    raise CommandFailed(f"no check: {local.why(event)}")


def _tries(seat: SeatJob, ruleset: RuleSet, ends: Sequence[dict[str, Any]]) -> Iterator[JobLine]:
    """The check, and once more if the end of the first says that the machine was starved."""
    for attempt in range(1, TRIES + 1):
        yield JobLine(
            match="check",
            attempt=attempt,
            rules=ruleset.to_json(),
            seed=rules.match_seed("check", 0, "check").hex(),
            seats=(seat,),
            job="check",
            purpose="check",
        )
        if not local.why(ends[-1]).startswith(STARVED):
            return


def _unchecked(error: CommandFailed) -> dict[str, Any]:
    """The report where nothing was asked: the file was refused (``failed``), or there was no check (``none``)."""
    code = error.code or ("usage" if isinstance(error, UsageFailed) else "machine")
    report = CheckReport(verdict="failed" if error.code else "none", code=code, message=str(error))
    return {**report.to_json(), "unsigned": None, "stderr": "", "notes": []}


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
