"""``thousand upload`` and ``thousand status``.

Submit a version and see what became of it, over the REST API.
"""

from __future__ import annotations

import json
import os
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from games.commandline.errors import CommandFailed, UsageFailed

if TYPE_CHECKING:
    import argparse

TIMEOUT_S: Final = 60
DEFAULT_SERVER: Final = "http://127.0.0.1:8000"
OPEN_STATES: Final = frozenset({"pending", "checking", "queued"})
WAIT_S: Final = 90


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands."""
    upload = commands.add_parser("upload", help="submit a version of a bot")
    upload.add_argument("bot", help="the bot's name on the ladder")
    upload.add_argument("file", metavar="FILE|URL", help="a .py file, a .zip, or the address of an HTTP bot")
    upload.add_argument("--wait", action="store_true", help="wait for the check and fail if it fails")
    _add_server(upload)
    upload.set_defaults(run=run_upload)
    status = commands.add_parser("status", help="how a bot or one of its versions stands")
    status.add_argument("bot", help="the bot's name on the ladder")
    status.add_argument("version", nargs="?", type=int, help="one version's number")
    _add_server(status)
    status.set_defaults(run=run_status)


def _add_server(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--server", help=f"address of the service (or THOUSAND_SERVER; default {DEFAULT_SERVER})"
    )
    parser.add_argument("--token", help="API token (better: the variable THOUSAND_TOKEN)")
    parser.add_argument("--json", action="store_true", help="print the service's answer as JSON")


class Service:
    """The REST API of one server, as one author."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._server = (options.server or os.environ.get("THOUSAND_SERVER") or DEFAULT_SERVER).rstrip("/")
        self._token = options.token or os.environ.get("THOUSAND_TOKEN")
        if not self._token:
            raise UsageFailed("a token is needed: --token or the variable THOUSAND_TOKEN")
        if not self._server.startswith(("http://", "https://")):
            raise UsageFailed(f"--server is an http or https address, not {self._server!r}")

    def call(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> Any:
        """The JSON answer to one request, or CommandFailed with what the service says."""
        headers = {"authorization": f"Token {self._token}", "accept": "application/json"}
        if body is not None:
            headers |= {"content-type": kind, "idempotency-key": secrets.token_hex(16)}
        request = urllib.request.Request(self._server + path, data=body, method=method, headers=headers)  # noqa: S310 - http(s) was checked above
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310 - see above
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            raise CommandFailed(_problem(error)) from error
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise CommandFailed(f"{self._server} does not answer as it should: {reason}") from error


def _problem(error: urllib.error.HTTPError) -> str:
    """The service's own words (RFC 9457), or the status."""
    try:
        problem = json.loads(error.read())
        text = problem.get("detail") or problem.get("title")
    except (ValueError, AttributeError, OSError):
        text = None
    return f"{text or error.reason} (HTTP {error.code})"


def bot_path(name: str, *more: str) -> str:
    """``/api/v1/bots/{name}/...`` with its slash at the end."""
    return "/api/v1/bots/" + "/".join(urllib.parse.quote(part, safe="") for part in (name, *more)) + "/"


def run_upload(options: argparse.Namespace) -> int:
    """Submit; with ``--wait`` 1 when the check fails."""
    service = Service(options)
    body, kind = _submission(options.file)
    version = service.call("POST", bot_path(options.bot, "versions"), body, kind)
    if options.wait:
        version = _wait(service, options.bot, str(version["number"]))
    _show(version, as_json=options.json)
    return int(version.get("state") in ("failed", "refused", "rejected"))


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


def _wait(service: Service, bot: str, number: str) -> Any:
    deadline = time.monotonic() + WAIT_S
    while True:
        version = service.call("GET", bot_path(bot, "versions", number))
        if version.get("state") not in OPEN_STATES:
            return version
        if time.monotonic() > deadline:
            raise CommandFailed(f"version {number} is still {version.get('state')} after {WAIT_S} s")
        time.sleep(1)


def run_status(options: argparse.Namespace) -> int:
    """Show a bot, or one version with its report."""
    more = () if options.version is None else ("versions", str(options.version))
    _show(Service(options).call("GET", bot_path(options.bot, *more)), as_json=options.json)
    return 0


def _show(answer: Any, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(answer))
        return
    report = answer.get("report") or {}
    for key, value in answer.items():
        if key != "report" and not isinstance(value, dict | list):
            print(f"{key}: {value}")
    for step in report.get("steps", ()):
        print(f"  {step['name']}: {'ok' if step['ok'] else 'no'}, {step['ms']} ms, {step['detail']}")
    if report.get("message"):
        print(report["message"])
