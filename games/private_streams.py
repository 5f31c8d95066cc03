"""Streams for one person, opened by a view that has checked who it is."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Iterable, Mapping
from typing import Any

import msgspec
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connections
from django.http import HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.utils.translation import gettext

from botapi.api import errors
from games.stream_app import number
from games.stream_hub import Watcher, frame, frames, hub


async def stream(
    channels: Iterable[str],
    first: Mapping[str, Any] | None = None,
    *,
    seen: str = "",
    address: str = "",
) -> HttpResponseBase:
    """Server-sent events of ``channels``; ``first`` is sent at once on the first of them, as JSON without an id.

    ``seen``: the request's ``Last-Event-ID``; ``address``: ``botapi.addresses.of`` it, which may open no more such
    streams than public ones: beyond them 429, and the page asks by itself. The view has asked the database what it
    wanted to know: its connection goes back before anything is sent (stack.md, trap 8). Only under ASGI.
    """
    own = (
        f"one's own {address}"  # whoever watches public pages from there takes nothing from people at tables
    )
    if address and hub().watchers_at(own) >= settings.STREAMS_OPEN:
        why = gettext("Too many streams are open at your network address.")
        body = errors.document(429, why, "too_many_streams")
        later = {"Retry-After": "30"}
        return JsonResponse(body, status=429, content_type=errors.MEDIA_TYPE, headers=later)
    watcher = Watcher(channels, seen=number(seen), address=own)
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
