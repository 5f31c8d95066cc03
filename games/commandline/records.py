"""``thousand verify`` and ``thousand replay``: what records say, and whether it is true."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine import EngineError, NotationError, RecordError
from engine.notation import read as read_notation
from engine.notation import write as write_notation
from engine.record import verify
from games.commandline import rules
from games.commandline.errors import CommandFailed
from games.commandline.progress import Progress
from games.commandline.tables import counted, deal_table, place_table, seat_names
from games.seeds import derived

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

LONGEST: Final = 2000
"""Characters of a value that an error prints; ``--json`` prints all of it."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands."""
    check = commands.add_parser("verify", help="play records again and name the first disagreement")
    check.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="records, one a line, or text notation; - for the standard input",
    )
    rules.add_json(check, "print what was found as JSON")
    check.add_argument("--seed-sha256", metavar="HEX", help="the hash published before the match: compare it")
    check.add_argument("--secret", metavar="HEX", help="the revealed secret of its series: derive the seed")
    check.add_argument(
        "--message", metavar="TEXT", help='with --secret: what it is keyed with, "match 12 attempt 1"'
    )
    check.set_defaults(run=run_verify)
    replay = commands.add_parser("replay", help="print a record deal by deal")
    replay.add_argument("file", type=Path, metavar="FILE")
    replay.add_argument(
        "--match", help="the match to show, where the file holds several (default: the first)"
    )
    replay.add_argument("--deal", type=int, help="only this deal, from 1")
    replay.add_argument("--notation", action="store_true", help="print the text notation instead")
    rules.add_json(replay, "print the record as JSON (text notation is imported so)")
    replay.set_defaults(run=run_replay)


def read_text(path: Path) -> str:
    """The file's text, or CommandFailed."""
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CommandFailed(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise CommandFailed(f"{path} is no text in UTF-8") from None


def records_in(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers and records of a file: JSON lines, or one record in text notation."""
    yield from _records(path, read_text(path))


def _records(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    if not text.lstrip().startswith(("{", "[")):
        try:
            yield 1, read_notation(text)
        except NotationError as error:
            raise Disagreement(path, error.line, error) from error
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, _record(path, number, line)


def _record(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Disagreement(path, number, RecordError(f"no JSON ({error})")) from error
    if not isinstance(record, dict):
        raise Disagreement(path, number, RecordError("a record is a JSON object"))
    return record


class Disagreement(CommandFailed):
    """What is wrong with a record, and where: ``details`` as ``--json`` prints them.

    People are told deals and steps from 1, as pages count; in text notation the line says it, where deals count from 0.
    """

    def __init__(self, path: Path, line: int, error: RecordError | NotationError) -> None:
        self.details = {
            "file": str(path),
            "line": line,
            "deal": error.deal,
            "action": error.action,
            "expected": error.expected,
            "found": error.found,
            "message": str(error),
        }
        deal = error.deal if isinstance(error, RecordError) else None
        places = {"deal": deal, "step": error.action}
        where = ", ".join(
            [
                f"line {line}",
                *(f"{name} {index + 1}" for name, index in places.items() if index is not None),
            ]
        )
        values = {"expected": error.expected, "found": error.found}
        what = ", ".join(f"{name} {_clipped(value)}" for name, value in values.items() if value is not None)
        text = str(error).removeprefix(f"line {line}: ")
        super().__init__(f"{path} {where}: {_clipped(text)}" + (f" ({what})" if what else ""))


def _clipped(value: object) -> str:
    """A value or a text, at the length that a person reads."""
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"


def run_verify(options: argparse.Namespace) -> int:
    """Verify every record; 1 at the first that disagrees."""
    promised = _promised(options)
    count = 0
    try:
        for path in options.files:
            text = read_text(path)
            progress = Progress(max(1, text.count("\n")), "lines")
            try:
                for line, record in _records(path, text):
                    _verify(path, line, record, promised)
                    count += 1
                    progress.step()
            finally:
                progress.close()
    except Disagreement as found:
        if not options.json:
            raise
        print(json.dumps({"ok": False, **found.details}, default=str))
        return 1
    print(
        json.dumps({"ok": True, "records": count})
        if options.json
        else f"{counted(count, 'record')}, no disagreement"
    )
    return 0


def _verify(path: Path, line: int, record: dict[str, Any], promised: Mapping[str, str]) -> None:
    try:
        verify(record)
        _keep_promise(record, promised)
    except RecordError as error:
        raise Disagreement(path, line, error) from error


def _promised(options: argparse.Namespace) -> dict[str, str]:
    """What was published of the seed: its hash, and the seed itself where the secret is given."""
    promised = {} if options.seed_sha256 is None else {"seed_sha256": options.seed_sha256.lower()}
    if (options.secret is None) != (options.message is None):
        raise CommandFailed("--secret and --message belong together")
    if options.secret is not None:
        try:
            secret = bytes.fromhex(options.secret)
        except ValueError:
            raise CommandFailed("--secret is hex") from None
        promised["seed"] = derived(secret, options.message).hex()
    return promised


def _keep_promise(record: Mapping[str, Any], promised: Mapping[str, str]) -> None:
    """Raise RecordError where the record's seed is not what was published."""
    for key, expected in promised.items():
        if record["seed"] is None:
            what = "the record does not give its seed, so nothing shows that its cards were the promised ones"
            raise RecordError(what, expected=expected)
        if record[key] != expected:
            raise RecordError(f"another {key} than was published", expected=expected, found=record[key])


def run_replay(options: argparse.Namespace) -> int:
    """Show one record."""
    record = chosen(options.file, options.match)
    if options.json:
        print(json.dumps(record, separators=(",", ":")))
        return 0
    try:
        if options.notation:
            print(write_notation(record), end="")
            return 0
        verify(record)
    except EngineError as error:
        raise CommandFailed(f"{options.file}: {error}") from error
    deals = record["deals"]
    only = None if options.deal is None else rules.index_of(options.deal, len(deals), "deal")
    for number, deal in enumerate(deals):
        if only in (None, number):
            print(_deal_text(number, deal, seat_names(record)))
    print(deal_table(record))
    if record["result"]:
        print("\n" + place_table(record))
    return 0


def chosen(file: str | Path, match: str | None) -> dict[str, Any]:
    """The record of ``match`` in a file, or its first one; CommandFailed where there is none."""
    for _, record in records_in(Path(file)):
        if match in (None, record.get("match")):
            return record
    raise CommandFailed(f"{file} holds no match {match or ''}".rstrip())


def _deal_text(number: int, deal: Mapping[str, Any], names: list[str]) -> str:
    """A deal's actions, a new line for each phase of it and for each trick."""
    lines = [f"deal {number + 1}, dealer {names[deal['dealer']]}"]
    verb_before, played = "", 0
    players = len({seat for seat, action in deal["actions"] if action.startswith(("play", "meld"))}) or 1
    for seat, action in deal["actions"]:
        verb = action.partition(":")[0].replace("meld", "play")
        new_trick = verb == "play" and played % players == 0
        if new_trick or (verb != verb_before and {verb, verb_before} != {"bid", "pass"}):
            lines.append("  ")
        played += verb == "play"
        verb_before = verb
        lines[-1] += f" {names[seat]} {action.replace('play:', '')} "
    return "\n".join(line.rstrip() for line in lines) + "\n"
