"""A bot that is a web server: ``python -m botapi.samples.http_bot --port 9000 --secret whsec_...``.

Standard library only. It checks the signature of every request (Standard Webhooks), answers ``hello`` and
``act``, keeps its connections open and keeps no state: each ``act`` holds all one needs.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from botapi.samples import sharp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TOLERANCE_S = 300
LARGEST_BODY = 1 << 20


def signed(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    """Whether the request carries a signature of ours, not older than five minutes."""
    stamp = headers.get("webhook-timestamp", "")
    if not stamp.isdecimal() or abs(time.time() - int(stamp)) > TOLERANCE_S:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = f"{headers.get('webhook-id', '')}.{stamp}.".encode() + body
    wanted = "v1," + base64.b64encode(hmac.digest(key, text, hashlib.sha256)).decode()
    return any(hmac.compare_digest(wanted, given) for given in headers.get("webhook-signature", "").split())


def reply(message: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to one message."""
    if message["type"] == "hello":
        return {"v": 1, "id": message["id"], "ready": True}
    if message["type"] == "act":
        return {"id": message["id"], "action": sharp.choose(message["view"], message["legal"])}
    return {}


class Handler(BaseHTTPRequestHandler):
    """One connection from the service."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    secret = ""

    def do_POST(self) -> None:
        """Check the signature, answer."""
        length = int(self.headers.get("content-length") or 0)
        if length > LARGEST_BODY:
            self.close_connection = True
            self._send(413, {"error": "too large"})
            return
        body = self.rfile.read(length)
        if not signed(self.secret, {name.lower(): value for name, value in self.headers.items()}, body):
            self._send(401, {"error": "bad signature"})
            return
        self._send(200, reply(json.loads(body)))

    def _send(self, status: int, answer: Mapping[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name the standard library gives it
        """One line a request would be too many."""


def make_server(host: str, port: int, secret: str) -> ThreadingHTTPServer:
    """A server that is bound but not yet serving; port 0 takes any free one."""
    handler = type("BoundHandler", (Handler,), {"secret": secret})
    server = ThreadingHTTPServer((host, port), handler)
    server.daemon_threads = True
    return server


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="http_bot", description="A sample HTTP bot for Thousand.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument(
        "--secret",
        default=os.environ.get("THOUSAND_BOT_SECRET"),
        help="the signing secret, whsec_... (better: the variable THOUSAND_BOT_SECRET)",
    )
    options = parser.parse_args(argv)
    if not options.secret:
        parser.error("the signing secret is missing: set THOUSAND_BOT_SECRET")
    try:
        server = make_server(options.host, options.port, options.secret)
    except OSError as error:
        print(f"cannot listen on {options.host}:{options.port}: {error.strerror}", file=sys.stderr)
        return 1
    print(f"listening on http://{options.host}:{server.server_address[1]}/", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
