"""A cap on request bodies, before Django reads them: it would spool a body of any length to disk first."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from botapi.api.errors import MEDIA_TYPE, document

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class _TooLarge(Exception):  # noqa: N818 - caught here, never seen outside
    """More came than is allowed."""


def limited(application: Application, largest: int) -> Application:
    """``application``, with 413 for a body over ``largest`` bytes and 411 for one of unknown length.

    Django would take a chunked body for an empty one.
    """
    too_large = f"A request's body may have {largest} bytes at most."

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        came = 0

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > largest:
                raise _TooLarge
            return message

        if (b"transfer-encoding", b"chunked") in [(name, value.lower()) for name, value in scope["headers"]]:
            await _refuse(send, 411, "Say how long the body is: send a Content-Length.", "length_required")
            return
        if _announced(scope) > largest:
            await _refuse(send, 413, too_large, "body_too_large")
            return
        try:
            await application(scope, counted, send)
        except _TooLarge:
            await _refuse(send, 413, too_large, "body_too_large")

    return checked


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


async def _refuse(send: Send, status: int, detail: str, code: str) -> None:
    body = json.dumps(document(status, detail, code)).encode()
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
