"""Streams for one person, opened by a view that has checked who it is."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Iterable, Mapping
from typing import Any

import msgspec
from asgiref.sync import sync_to_async
from django.db import connections
from django.http import StreamingHttpResponse

from games.stream_app import number
from games.stream_hub import Watcher, frame, frames


async def stream(
    channels: Iterable[str], first: Mapping[str, Any] | None = None, *, seen: str = ""
) -> StreamingHttpResponse:
    """Server-sent events of ``channels``; ``first`` is sent at once on the first of them, as JSON without an id.

    ``seen``: the request's ``Last-Event-ID``. The view has asked the database what it wanted to know: its
    connection goes back before anything is sent (stack.md, trap 8). Only under ASGI.
    """
    watcher = Watcher(channels, seen=number(seen))
    response = StreamingHttpResponse(_parts(watcher, first), content_type="text/event-stream; charset=utf-8")
    response["Cache-Control"] = "no-cache, no-transform"
    response["X-Accel-Buffering"] = "no"
    return response


async def _parts(watcher: Watcher, first: Mapping[str, Any] | None) -> AsyncGenerator[bytes, None]:
    await sync_to_async(connections.close_all)()
    if first is not None:
        yield frame(watcher.channels[0], msgspec.json.encode(first))
    async with contextlib.aclosing(frames(watcher)) as parts:
        async for part in parts:
            yield part
