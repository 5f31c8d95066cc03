"""``thousand rerun``: ask a bot here what it was asked in a recorded match, and compare."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from engine import EngineError
from engine.record import verify
from games.commandline import local, records, rules, service
from games.commandline.errors import CommandFailed, UsageFailed
from games.commandline.tables import counted, paragraph, place, seat_names, table
from games.commandline.workshop import workshop
from games.job import plan_of
from games.rerun import Rerun, RerunReport
from games.runner import Runner

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from games.job import SeatJob


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "rerun",
        help="ask a bot here what it was asked in a match",
        description="Send a bot the requests of one seat of a recorded match and compare its answers. "
        "Whatever it answers, the recorded action is taken. Ends with 1 where an answer differs.",
    )
    parser.add_argument(
        "record", metavar="RECORD", help="a file with the record, or a match number on the server"
    )
    parser.add_argument(
        "bot", metavar="FILE|URL", help="a .py file, a .zip, a directory or an http(s) address"
    )
    parser.add_argument("--seat", type=int, required=True, help="the seat, from 1")
    parser.add_argument("--match", help="the match, where the file holds several (default: the first)")
    rules.add_json(parser, "print what was found as JSON")
    service.add_server(parser)
    local.add_seats(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Ask and compare; 1 when an answer differs or is a fault."""
    record = _record(options)
    index = rules.index_of(options.seat, len(record["seats"]), "seat")
    if not record["seed"]:
        raise CommandFailed("the record has no seed: it cannot be played again")
    with workshop() as root:
        seat = local.seat_of(options.bot, options, root, deal_limit=record["rules"]["deal_limit"])
        if seat.kind == "house":
            raise UsageFailed("a house bot is not asked")
        local.say_if_unsandboxed(options, [seat])
        report, stderr = asyncio.run(_ask(record, index, seat, root, plain=options.no_sandbox))
    _show(record, index, report, stderr, as_json=options.json)
    if report.refused:
        raise CommandFailed(f"the bot did not begin: {report.refused}")
    return int(report.same < report.asked)


def _record(options: argparse.Namespace) -> dict[str, Any]:
    word: str = options.record
    if word.isascii() and word.isdecimal():
        record: dict[str, Any] = service.Service(options, needs_token=False).call(
            "GET", f"/api/v1/matches/{word}/record/"
        )
    else:
        record = records.chosen(word, options.match)
    try:
        verify(record)
    except EngineError as error:
        raise CommandFailed(f"{word}: {error}") from error
    return record


async def _ask(
    record: dict[str, Any], place: int, seat: SeatJob, root: Path, *, plain: bool
) -> tuple[RerunReport, str]:
    ended: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    drivers = local.drivers(root, plain=plain, eager_ms=lambda: 2)
    try:
        if seat.kind == "sandbox":
            local.prepare(drivers)
        rerun = Rerun(record, place, plan_of(seat, None))
        runner = Runner(rerun.play(), lambda _: driver, lambda: None, ended.set_result, lambda _: False)
        made = drivers.make(seat, lambda *_: None, runner.fail)
        assert made is not None
        driver = made
        runner.begin()
        result = await ended
        stderr = driver.log().stderr
        driver.close()
    finally:
        await drivers.close()
    if not isinstance(result, RerunReport):
        raise CommandFailed(f"the rerun failed: {result}")
    return result, stderr


def _show(record: dict[str, Any], seat: int, report: RerunReport, stderr: str, *, as_json: bool) -> None:
    if as_json:
        found = {key: getattr(report, key) for key in ("asked", "same", "different", "faults", "refused")}
        print(json.dumps({"match": record["match"], "seat": seat, **found, "stderr": stderr}))
        return
    for fault in report.faults:
        print(paragraph(f"{fault['code']} in {place(fault['deal'], fault['action'])}: {fault['message']}"))
        print()
    if report.different:
        rows = [
            (row["deal"] + 1, row["action"] + 1, row["recorded"], row["answered"]) for row in report.different
        ]
        print(table(["deal", "step", "recorded", "answered now"], rows), end="\n\n")
    if stderr:
        print(f"stderr:\n{stderr.rstrip()}\n")
    print(
        f"match {record['match']}, seat {seat + 1} ({seat_names(record)[seat]}): {counted(report.asked, 'decision')}, "
        f"{report.same} as recorded, {len(report.different)} different, {counted(len(report.faults), 'fault')}"
    )
