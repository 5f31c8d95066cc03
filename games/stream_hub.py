"""Who watches streams, in an asyncio process: one subscription to Redis, fanned out to all its watchers.

A watcher holds at most one event a channel, the latest: one that is slow misses what lies between, and never
makes others wait. No database connection is held. When Redis was away, watchers are told ``again``: what they
show may be old.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
import redis.asyncio
from django.conf import settings
from redis import RedisError
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from games.streams import KEPT, TOLD, WAIT_S, decode

logger = logging.getLogger(__name__)

HEARTBEAT_S: Final = 15.0
"""A comment is sent so often when nothing happens: proxies close what is silent."""
RETRY_MS: Final = 2000
"""When a browser tries again after its stream broke."""
AGAIN: Final = "again"
"""The event that says: something may have been missed, read it again."""
SUBSCRIPTION_S: Final = 20.0
"""A subscription that is silent so long is asked whether it lives."""
PAUSES_S: Final = (0.1, 0.3, 1.0, 2.0)
"""Waits between tries while Redis is away; the last one for ever."""
SLOW: Final = ("ladder", "schedule", "live")
"""Channels, or what stands before their colon, whose events make browsers fetch a page again; of ``live`` the list."""
SLOW_S: Final = 2.0
"""What a slow channel tells is told so often at most, the latest of it."""
SPREAD_MS: Final = 20
"""For each watcher of a slow channel: over how long they shall spread their fetching, together."""
NEVER: Final = Retry(NoBackoff(), 0)
CLOCKS_DIFFER_US: Final = 2_000_000
"""Processes on several machines may differ so much about the time."""


@dataclass(slots=True)
class Event:
    """What a channel told; ``data`` is JSON. Its frames are made once, however many watch."""

    channel: str
    id: int
    data: bytes
    _frames: dict[Form, bytes] = field(default_factory=dict)

    def frame(self, form: Form) -> bytes:
        """The event as ``form`` writes it."""
        made = self._frames.get(form)
        if made is None:
            made = self._frames[form] = form(self)
        return made


Form = Callable[[Event], bytes]
"""How an event is written for those who watch; the same function for the same form, so that it is called once."""


def as_json(event: Event) -> bytes:
    """The event's data as they were told."""
    return frame(event.channel, event.data, event.id)


def frame(name: str, data: bytes, number: int | None = None) -> bytes:
    """One server-sent event; ``data`` may have several lines."""
    head = b"" if number is None else b"id: %d\n" % number
    lines = b"".join(b"data: %s\n" % line for line in data.splitlines() or [b""])
    return b"%sevent: %s\n%s\n" % (head, name.encode(), lines)


class Watcher:
    """One open stream: the latest event of each of its channels that was not sent yet.

    ``seen``: id of the last event that the browser has (it connects again); ``since``: when its page was made,
    in microseconds since 1970. What it knows already is not sent. ``address``: whence it watches, empty for who
    is not counted by address.
    """

    def __init__(self, channels: Iterable[str], *, seen: int = 0, since: int = 0, address: str = "") -> None:
        self.channels = tuple(dict.fromkeys(channels))
        self.address = address
        self._seen = seen
        self._since = since - CLOCKS_DIFFER_US
        self._waiting: dict[str, Event] = {}
        self._news = asyncio.Event()
        self.ended = False

    def tell(self, event: Event) -> None:
        """Something happened; what waits on the same channel is out of date."""
        if event.data and (event.id == self._seen or event.id < self._since):
            return
        waiting = self._waiting.pop(event.channel, None)
        if waiting is not None and event.data and waiting.id > event.id:
            event = waiting
        self._waiting[event.channel] = event
        self._news.set()

    def end(self) -> None:
        """The stream is over."""
        self.ended = True
        self._news.set()

    async def take(self, seconds: float) -> list[Event]:
        """What is to be sent now; empty when nothing happened for ``seconds`` or the stream is over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()
        self._news.clear()
        found = list(self._waiting.values())
        self._waiting.clear()
        return found


class Hub:
    """All watchers of this process and the one subscription that feeds them, open while somebody watches."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._watchers: dict[str, set[Watcher]] = {}
        self._latest: dict[str, int] = {}
        self._held: dict[str, Event | None] = {}
        self._task: asyncio.Task[None] | None = None
        self._reader: redis.asyncio.Redis | None = None
        self._stands = asyncio.Event()
        self._addresses: Counter[str] = Counter()
        self.watchers = 0

    def watchers_at(self, address: str) -> int:
        """How many watch from ``address``."""
        return self._addresses[address]

    @contextlib.contextmanager
    def watching(self, watcher: Watcher) -> Iterator[None]:
        """``watcher`` is told what happens on its channels."""
        for channel in watcher.channels:
            self._watchers.setdefault(channel, set()).add(watcher)
        self.watchers += 1
        self._addresses[watcher.address] += 1
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._listen())
        try:
            yield
        finally:
            self.watchers -= 1
            self._addresses[watcher.address] -= 1
            if not self._addresses[watcher.address]:
                del self._addresses[watcher.address]
            for channel in watcher.channels:
                watchers = self._watchers[channel]
                watchers.discard(watcher)
                if not watchers:
                    del self._watchers[channel]
                    self._latest.pop(channel, None)
            if not self._watchers and self._task is not None:
                self._task.cancel()
                self._task = None
                self._stands.clear()

    async def stands(self) -> bool:
        """Wait a little for the subscription; whether it stands."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(WAIT_S):
                await self._stands.wait()
        return self._stands.is_set()

    async def kept(self, channels: Iterable[str]) -> list[Event]:
        """The last event of each channel that keeps one; empty while Redis is away."""
        names = list(channels)
        if self._reader is None:
            self._reader = redis.asyncio.Redis.from_url(
                self._url, socket_timeout=WAIT_S, socket_connect_timeout=WAIT_S
            )
        try:
            found = await self._reader.mget([KEPT + name for name in names])
        except (RedisError, OSError) as error:
            logger.warning("what was told is not known: %s", error)
            return []
        events = [_event(name, told) for name, told in zip(names, found, strict=True) if told]
        return [event for event in events if event is not None]

    async def _listen(self) -> None:
        """Keep the subscription; when it stands each watcher is told what it may have missed."""
        failures, broken = 0, False
        while True:
            try:
                async for message in _messages(self._url):
                    if message is None:
                        failures = 0
                        self._stands.set()
                        await self._catch_up(broken=broken)
                    else:
                        self._fan_out(message)
            except (RedisError, OSError) as error:
                logger.warning("streams wait for Redis: %s", error)
            self._stands.clear()
            broken = True
            await asyncio.sleep(PAUSES_S[min(failures, len(PAUSES_S) - 1)])
            failures += 1

    async def _catch_up(self, *, broken: bool) -> None:
        channels = list(self._watchers)
        fresh = {event.channel: event for event in await self.kept(channels)}
        for channel in channels:
            event = fresh.get(channel)
            if event is None and broken:
                self._tell(Event(channel, 0, b""))
            elif event is not None and event.id != self._latest.get(channel):
                self._tell(event)

    def _fan_out(self, message: dict[str, Any]) -> None:
        channel = message["channel"].decode()[len(TOLD) :]
        if channel not in self._watchers:
            return
        event = _event(channel, message["data"])
        if event is not None:
            self._tell(event)

    def _tell(self, event: Event) -> None:
        """Tell watchers at once, or, on a slow channel that told something just now, the latest a little later."""
        self._latest[event.channel] = event.id
        if not _is_slow(event.channel):
            self._tell_now(event)
        elif event.channel in self._held:
            self._held[event.channel] = event
        else:
            self._tell_now(event)
            self._held[event.channel] = None
            asyncio.get_running_loop().call_later(SLOW_S, self._let_go, event.channel)

    def _let_go(self, channel: str) -> None:
        held = self._held.pop(channel)
        if held is not None:
            self._tell(held)

    def _tell_now(self, event: Event) -> None:
        watchers = self._watchers.get(event.channel, ())
        if event.data and _is_slow(event.channel):
            told = {**msgspec.json.decode(event.data), "spread_ms": SPREAD_MS * len(watchers)}
            event = Event(event.channel, event.id, msgspec.json.encode(told))
        for watcher in watchers:
            watcher.tell(event)


def _is_slow(channel: str) -> bool:
    return channel in SLOW or channel.startswith("ladder:")


async def _messages(url: str) -> AsyncIterator[dict[str, Any] | None]:
    """What is told on any channel; None first, when the subscription stands. Raises when it breaks."""
    client = redis.asyncio.Redis.from_url(
        url, socket_timeout=None, socket_connect_timeout=WAIT_S, retry=NEVER
    )
    async with client, client.pubsub() as pubsub:
        await pubsub.psubscribe(TOLD + "*")
        asked = False
        while True:
            message = await pubsub.get_message(timeout=SUBSCRIPTION_S)
            if message is None and asked:
                raise redis.ConnectionError("the subscription is silent")
            asked = message is None
            if message is None:
                await pubsub.ping()
            elif message["type"] == "psubscribe":
                yield None
            elif message["type"] == "pmessage":
                yield message


def _event(channel: str, told: bytes | str) -> Event | None:
    try:
        found = decode(told)
    except msgspec.DecodeError:
        logger.warning("what was told on %s is no event", channel)
        return None
    return Event(channel, found.id, bytes(found.data))


_hubs: dict[asyncio.AbstractEventLoop, Hub] = {}


def hub() -> Hub:
    """The hub of this event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs.clear()  # a loop that ended serves nobody
        _hubs[loop] = Hub(settings.REDIS_URL)
    return _hubs[loop]


async def frames(watcher: Watcher, form: Form = as_json) -> AsyncGenerator[bytes, None]:
    """The bytes of a stream, until ``watcher`` ends: what is kept, what happens, and heartbeats.

    Once the first of them are sent, nothing is missed that is told.
    """
    home = hub()
    with home.watching(watcher):
        if await home.stands():  # else it is told when the subscription stands
            for event in await home.kept(watcher.channels):
                watcher.tell(event)
        yield b"retry: %d\n\n" % RETRY_MS
        while not watcher.ended:
            events = await watcher.take(HEARTBEAT_S)
            if not watcher.ended:
                yield b"".join(_written(event, form) for event in events) or b": still here\n\n"


def _written(event: Event, form: Form) -> bytes:
    if not event.data:
        return frame(AGAIN, msgspec.json.encode({"channel": event.channel}))
    return event.frame(form)
