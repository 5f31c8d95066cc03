"""``thousand upload``, ``status``, ``set`` and ``challenge``: what an author asks of the service, over the REST API."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from pathlib import Path
from typing import Any, Final

from games.commandline import rules
from games.commandline.errors import CommandFailed, UsageFailed
from games.commandline.service import Service, add_server, bot_path
from games.commandline.tables import check_text, table

OPEN_STATES: Final = frozenset({"pending", "checking"})
REFUSED: Final = "refused"
WAIT_S: Final = 90
MATCH_WAIT_S: Final = 600
KINDS: Final = {"sandbox": "sandboxed Python", "http": "HTTP endpoint", "house": "house bot"}
SHOWN_VERSIONS: Final = 10


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands."""
    upload = commands.add_parser("upload", help="submit a version of a bot")
    upload.add_argument("bot", help="the bot's name on the ladder")
    upload.add_argument("file", metavar="FILE|URL", help="a .py file, a .zip, or the address of an HTTP bot")
    upload.add_argument("--wait", action="store_true", help="wait for the check and fail if it fails")
    _add_options(upload)
    upload.set_defaults(run=run_upload)
    status = commands.add_parser("status", help="how a bot or one of its versions stands")
    status.add_argument("bot", help="the bot's name on the ladder")
    status.add_argument("version", nargs="?", type=int, help="one version's number: the report of its check")
    _add_options(status)
    status.set_defaults(run=run_status)
    change = commands.add_parser(
        "set", help="change the public notes of a bot, or whether others may play against it"
    )
    change.add_argument("bot", help="your bot")
    change.add_argument("--notes", metavar="TEXT", help="public; an empty text takes them away")
    change.add_argument(
        "--allow-tests",
        action=argparse.BooleanOptionalAction,
        help="whether others may play unrated test matches and practice games against it",
    )
    _add_options(change)
    change.set_defaults(run=run_set)
    challenge = commands.add_parser(
        "challenge",
        help="ask for an unrated test match",
        description="Ask for an unrated test match of a bot of yours against house bots, or any bot whose author "
        "allows it. It begins within two minutes.",
    )
    challenge.add_argument("bot", help="your bot; it sits in the first seat")
    challenge.add_argument(
        "opponents", nargs="+", metavar="OPPONENT", help="the others by name, in table order"
    )
    challenge.add_argument("--rules", default="pl-3", metavar="PRESET", help="rule set (default pl-3)")
    challenge.add_argument(
        "--version", type=int, help="a passed version of your bot (default: the active one)"
    )
    challenge.add_argument("--wait", action="store_true", help="wait until the match is over")
    _add_options(challenge)
    challenge.set_defaults(run=run_challenge)


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_server(parser)
    rules.add_json(parser, "print the service's answer as JSON")


# --- upload -----------------------------------------------------------------------------------------------


def run_upload(options: argparse.Namespace) -> int:
    """Submit; with ``--wait`` 1 when the check fails."""
    service = Service(options)
    body, kind = _submission(options.file)
    version = service.call("POST", bot_path(options.bot, "versions"), body, kind)
    number = str(version["number"])
    if not options.json:
        print(f"{options.bot} version {number} submitted: {version['state']}")
        sys.stdout.flush()
    if options.wait:
        version = _wait(
            service, bot_path(options.bot, "versions", number), OPEN_STATES, WAIT_S, f"version {number}"
        )
    if options.json:
        print(json.dumps(version))
    elif options.wait:
        print(_version_text(version))
    return int(version.get("state") == REFUSED)


def _submission(word: str) -> tuple[bytes, str]:
    if word.startswith(("http://", "https://")):
        return json.dumps({"url": word}).encode(), "application/json"
    path = Path(word)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageFailed(f"{word} cannot be read: {error.strerror}") from error
    return multipart(path.name, data)


def multipart(filename: str, data: bytes) -> tuple[bytes, str]:
    """One ``file`` as multipart/form-data: the body and its content type."""
    boundary = "thousand-" + secrets.token_hex(16)
    name = filename.replace('"', "_").replace("\r", "_").replace("\n", "_")
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    return (
        head.encode() + data + f"\r\n--{boundary}--\r\n".encode(),
        f"multipart/form-data; boundary={boundary}",
    )


def _wait(service: Service, path: str, open_states: frozenset[str], seconds: int, what: str) -> Any:
    """Ask until the thing at ``path`` is in no open state; CommandFailed when that takes too long."""
    deadline = time.monotonic() + seconds
    while True:
        found = service.call("GET", path)
        if found.get("state") not in open_states:
            return found
        if time.monotonic() > deadline:
            raise CommandFailed(f"{what} is still {found.get('state')} after {seconds} s")
        time.sleep(1)


# --- status -----------------------------------------------------------------------------------------------


def run_status(options: argparse.Namespace) -> int:
    """Show a bot with its versions, or one version with its report."""
    service = Service(options)
    if options.version is not None:
        version = service.call("GET", bot_path(options.bot, "versions", str(options.version)))
        print(json.dumps(version) if options.json else _version_text(version))
        return 0
    bot = service.call("GET", bot_path(options.bot))
    if options.json:
        print(json.dumps(bot))
        return 0
    print(_bot_text(bot))
    try:
        versions = service.call("GET", bot_path(options.bot, "versions"))["results"]
    except CommandFailed:
        return 0  # another author's bot: its versions are private
    if versions:
        print(
            "\n"
            + table(["version", "state", "submitted", "label"], [_row(v) for v in versions[:SHOWN_VERSIONS]])
        )
    return 0


def _bot_text(bot: dict[str, Any]) -> str:
    plays = f"version {bot['active_version']} plays" if bot["active_version"] else "no version plays yet"
    lines = [f"{bot['name']}: {KINDS.get(bot['kind'], bot['kind'])}, {bot['state']}, {plays}"]
    if bot["waiting_because"]:
        lines.append(f"no rated match: {bot['waiting_because']}")
    lines.append(f"test matches against it: {'allowed' if bot['allow_tests'] else 'its author alone'}")
    return "\n".join(lines)


def _row(version: dict[str, Any]) -> tuple[object, ...]:
    state = version["state"] + (f" ({version['check_code']})" if version["check_code"] else "")
    return version["number"], state, _minute(version["created_at"]), version["label"]


def _minute(stamp: str) -> str:
    return stamp[:16].replace("T", " ")


def _version_text(version: dict[str, Any]) -> str:
    head = f"{version['bot']} version {version['number']}: {version['state']}"
    report = version.get("report")
    return f"{head}\n\n{check_text(report)}" if report else head


# --- set --------------------------------------------------------------------------------------------------


def run_set(options: argparse.Namespace) -> int:
    """Change what was named; UsageFailed when nothing was."""
    named = {"notes": options.notes, "allow_tests": options.allow_tests}
    wish = {name: value for name, value in named.items() if value is not None}
    if not wish:
        raise UsageFailed("say what to change: --notes, --allow-tests or --no-allow-tests")
    bot = Service(options).call("PATCH", bot_path(options.bot), json.dumps(wish).encode())
    print(json.dumps(bot) if options.json else _bot_text(bot))
    return 0


# --- challenge --------------------------------------------------------------------------------------------


def run_challenge(options: argparse.Namespace) -> int:
    """Ask for the match; with ``--wait`` 1 when it was not played."""
    service = Service(options)
    wish = {"bot": options.bot, "opponents": options.opponents, "rules": options.rules}
    if options.version is not None:
        wish["version"] = options.version
    asked = service.call("POST", "/api/v1/test-matches/", json.dumps(wish).encode())
    match = asked["match"]
    if not options.json:
        print(
            f"match {match['id']} queued; {asked['used_today']} of {asked['a_day']} test matches used today"
        )
        sys.stdout.flush()
    if options.wait:
        path = f"/api/v1/matches/{match['id']}/"
        match = _wait(service, path, frozenset({"queued", "running"}), MATCH_WAIT_S, f"match {match['id']}")
    if options.json:
        print(json.dumps(match if options.wait else asked))
    elif options.wait:
        print(_match_text(match))
    return int(options.wait and match["state"] != "finished")


def _match_text(match: dict[str, Any]) -> str:
    if match["state"] != "finished":
        return f"match {match['id']} is {match['state']}: {match['reason']}"
    seats = sorted(match["seats"], key=lambda seat: (seat["place"], seat["index"]))
    rows = [(seat["place"], seat["bot"], seat["total"], seat["faults"]) for seat in seats]
    return (
        table(["place", "bot", "total", "faults"], rows)
        + f"\n\nthousand logs {match['id']} shows your bot's log"
    )
