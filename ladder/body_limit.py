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
    """``application``, with 413 for a body over ``largest`` bytes, announced or chunked."""

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

        if _announced(scope) > largest:
            await _refuse(send, largest)
            return
        try:
            await application(scope, counted, send)
        except _TooLarge:
            await _refuse(send, largest)

    return checked


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


async def _refuse(send: Send, largest: int) -> None:
    detail = f"A request's body may have {largest} bytes at most."
    body = json.dumps(document(413, detail, "body_too_large")).encode()
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
