"""The REST API of a server, for the commands that ask one."""

from __future__ import annotations

import json
import os
import secrets
import urllib.error
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any, Final

from games.commandline.errors import CommandFailed, UsageFailed

if TYPE_CHECKING:
    import argparse

TIMEOUT_S: Final = 60
DEFAULT_SERVER: Final = "http://127.0.0.1:8000"


def add_server(parser: argparse.ArgumentParser) -> None:
    """``--server`` and ``--token``."""
    parser.add_argument(
        "--server", help=f"address of the service (or THOUSAND_SERVER; default {DEFAULT_SERVER})"
    )
    parser.add_argument("--token", help="API token (better: the variable THOUSAND_TOKEN)")


class Service:
    """The REST API of one server, as one author; UsageFailed without a token, where one is needed."""

    def __init__(self, options: argparse.Namespace, *, needs_token: bool = True) -> None:
        self._server = (options.server or os.environ.get("THOUSAND_SERVER") or DEFAULT_SERVER).rstrip("/")
        self._token = options.token or os.environ.get("THOUSAND_TOKEN")
        if not self._token and needs_token:
            raise UsageFailed("a token is needed: --token or the variable THOUSAND_TOKEN")
        if not self._server.startswith(("http://", "https://")):
            raise UsageFailed(f"--server is an http or https address, not {self._server!r}")

    def call(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> Any:
        """The JSON answer to one request, or CommandFailed with what the service says."""
        headers = {"accept": "application/json"}
        if self._token:
            headers["authorization"] = f"Token {self._token}"
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
