"""Wake-ups and public states, told through Redis to whoever watches: the side that tells.

A stream never carries a truth: PostgreSQL does. What is told may be lost, so a failure of Redis is logged and
raises nothing; a watcher that missed something reads the page or the API again. :mod:`games.stream_hub` is the
side that watches.

A **channel** is a short name such as ``live:12`` or ``ladder``. An event is a JSON object on a channel with an
id: microseconds since 1970, growing on a channel that one process tells.
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
import redis
from django.conf import settings
from django.db import transaction
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

TOLD: Final = "thousand:told:"
"""Before a channel's name: where events are told."""
KEPT: Final = "thousand:kept:"
"""Before a channel's name: where its last event is kept for those who come late."""
WAIT_S: Final = 1.0
"""Longest time that Redis may hold up who tells; a subscription waits without an end (stack.md, trap 3)."""
SILENT_S: Final = 2.0
"""After a failure nothing is told for so long: a Redis that hangs must not slow matches down."""


class Told(msgspec.Struct, frozen=True):
    """An event as it goes through Redis: its id, and the JSON of its data."""

    id: int
    data: msgspec.Raw


_decoder: Final = msgspec.json.Decoder(Told)
_failed_at = -SILENT_S


def publish(channel: str, data: Mapping[str, Any], *, keep_s: int = 0) -> None:
    """Tell ``data`` on ``channel`` now; ``keep_s``: how many seconds those who come later get it too. Never raises."""
    global _failed_at  # noqa: PLW0603 - one Redis a process, one memory of its failures
    if time.monotonic() - _failed_at < SILENT_S:
        return
    told = msgspec.json.encode({"id": time.time_ns() // 1000, "data": data})
    try:
        with _client(settings.REDIS_URL).pipeline(transaction=False) as pipeline:
            if keep_s:
                pipeline.set(KEPT + channel, told, ex=keep_s)
            pipeline.publish(TOLD + channel, told)
            pipeline.execute()
    except (redis.RedisError, OSError) as error:
        _failed_at = time.monotonic()
        logger.warning("nothing was told on %s: %s", channel, error)


def publish_on_commit(channel: str, data: Mapping[str, Any], *, keep_s: int = 0) -> None:
    """As :func:`publish`, once what was written is there for others to read; at once outside a transaction."""
    transaction.on_commit(functools.partial(publish, channel, data, keep_s=keep_s))


def kept(channels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The last data of each channel that keeps some; empty while Redis is away."""
    names = list(channels)
    if not names:
        return {}
    try:
        found = _client(settings.REDIS_URL).mget([KEPT + name for name in names])
    except (redis.RedisError, OSError) as error:
        logger.warning("what was told is not known: %s", error)
        return {}
    return {
        name: msgspec.json.decode(decode(told).data) for name, told in zip(names, found, strict=True) if told
    }


def decode(told: bytes | str) -> Told:
    """An event as it came through Redis. Raises msgspec.DecodeError for anything else."""
    return _decoder.decode(told)


@functools.lru_cache(maxsize=4)
def _client(url: str) -> redis.Redis:
    """Connections of this process; after a fork each has its own. A dead one is opened again once."""
    return redis.Redis.from_url(
        url, socket_timeout=WAIT_S, socket_connect_timeout=WAIT_S, retry=Retry(NoBackoff(), 1)
    )
