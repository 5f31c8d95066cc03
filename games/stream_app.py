"""Public streams as a small ASGI application beside Django: no session, no database, no thread a watcher.

``GET /streams/?on=live:12&on=ladder`` is a stream of server-sent events: ``id``, the channel as ``event``, JSON
as ``data``; ``event: again`` says that something may have been missed. ``since`` (microseconds since 1970) leaves
out what a page of that time shows already. Only public channels can be watched here. Refusals are problem documents
as everywhere in the API; 429 and 503 say when to come again.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

import msgspec
from django.conf import settings

from botapi import addresses
from botapi.api import errors
from games.stream_hub import Form, Watcher, as_json, frames, hub

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

PATH: Final = "/streams/"
PUBLIC: Final = re.compile(r"live(:[0-9]{1,18})?|ladder(:[0-9]{1,18})?|schedule")
"""The channels that everybody may watch."""
CHANNELS: Final = 25
"""Most channels of one stream."""
WATCHERS: Final = 2000
"""Most streams of one process; others are told to come later. Those of one address: ``settings.STREAMS_OPEN``."""
LATER: Final = (b"retry-after", b"30")
HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]


def query(channels: Iterable[str]) -> str:
    """What follows :data:`PATH` in the address of a stream of ``channels``: ``?on=live%3A12``."""
    return "?" + urlencode([("on", channel) for channel in channels])


def no_form(_name: str) -> Form | None:
    """Events are written as JSON and in no other form."""
    return None


def with_streams(application: Application, form_of: Callable[[str], Form | None] = no_form) -> Application:
    """``application``, with public streams at ``/streams/``; ``form_of``: how ``?as=`` wants events written."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH:
            await application(scope, receive, send)
            return
        asked = _asked(scope["query_string"].decode("latin-1"))
        channels = asked.get("on", [])
        wanted = asked.get("as", [""])[0]
        form = form_of(wanted) if wanted else as_json
        if scope["method"] != "GET":
            await _refuse(send, 405, "method_not_allowed", "A stream is read with GET.", (b"allow", b"GET"))
        elif form is None or not 0 < len(channels) <= CHANNELS or not all(map(PUBLIC.fullmatch, channels)):
            await _refuse(send, 404, "not_found", "There is no such stream.")
        elif hub().watchers >= WATCHERS:
            await _refuse(send, 503, "too_many_watch", "Too many watch just now.", LATER)
        elif (address := _address(scope)) and hub().watchers_at(address) >= settings.STREAMS_OPEN:
            why = f"{settings.STREAMS_OPEN} streams are open at your network address: close one, or read the page again."
            await _refuse(send, 429, "too_many_streams", why, LATER)
        else:
            seen, since = number(_header(scope, b"last-event-id")), number(asked.get("since", [""])[0])
            await _stream(Watcher(channels, seen=seen, since=since, address=address), form, receive, send)

    return answer


async def _stream(watcher: Watcher, form: Form, receive: Receive, send: Send) -> None:
    async def until_gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        watcher.end()

    gone = asyncio.create_task(until_gone())
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    try:
        # Cancelled: the server's time of grace is over (stack.md, trap 9).
        with contextlib.suppress(asyncio.CancelledError):
            async with contextlib.aclosing(frames(watcher, form)) as parts:
                async for part in parts:
                    await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()


async def _refuse(send: Send, status: int, code: str, why: str, *headers: tuple[bytes, bytes]) -> None:
    body = msgspec.json.encode(errors.document(status, why, code))
    plain = [(b"content-type", errors.MEDIA_TYPE.encode()), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": [*plain, *headers]})
    await send({"type": "http.response.body", "body": body})


def _address(scope: Scope) -> str:
    """Whence a stream is asked for, as the web server says it (``botapi.addresses``); empty where it cannot tell."""
    return addresses.network(str((scope.get("client") or ("",))[0]))


def _asked(query: str) -> dict[str, list[str]]:
    try:
        return parse_qs(query, max_num_fields=4 * CHANNELS)
    except ValueError:  # too many fields: none of ours
        return {}


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


def number(text: str) -> int:
    """An id or a moment as a browser tells it; 0 for what is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else 0
