"""Sending webhook events: signed POSTs to public addresses only, side by side, each with a short deadline."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final

import aiohttp
from django.conf import settings
from django.utils import timezone

from botapi import secrets, signing, webhooks
from botapi.drivers.http_session import allow_slow_names, error_words, make_session

if TYPE_CHECKING:
    from botapi.models import WebhookEvent

AT_ONCE: Final = 40
DEADLINE_S: Final = 5.0
HEADERS: Final = {"content-type": "application/json", "user-agent": "thousand-ladder/1"}


def send_due() -> int:
    """Send what is due, once each; how many events were sent or tried."""
    taken = webhooks.take_due(now=timezone.now(), limit=AT_ONCE)
    signed = [(event.webhook.url, event.body.encode(), _headers(event)) for event in taken]
    answers = asyncio.run(_send_all(signed)) if signed else []
    for event, (delivered, answer) in zip(taken, answers, strict=True):
        webhooks.settle(event, delivered=delivered, answer=answer)
    return len(taken)


def _headers(event: WebhookEvent) -> dict[str, str]:
    secret = secrets.decrypt(event.webhook.ciphertext)
    return HEADERS | signing.headers([secret], event.event_id, int(time.time()), event.body.encode())


async def _send_all(requests: list[tuple[str, bytes, dict[str, str]]]) -> list[tuple[bool, str]]:
    allow_slow_names()
    async with make_session(allow_private=settings.BOT_ENDPOINTS_ALLOW_PRIVATE) as session:
        return await asyncio.gather(*(_send(session, *request) for request in requests))


async def _send(
    session: aiohttp.ClientSession, url: str, body: bytes, headers: dict[str, str]
) -> tuple[bool, str]:
    """Whether the endpoint took it (status 2xx), and what came in words. Redirects are not followed."""
    try:
        async with (
            asyncio.timeout(DEADLINE_S),
            session.post(url, data=body, headers=headers, allow_redirects=False) as got,
        ):
            return 200 <= got.status < 300, f"HTTP status {got.status}"
    except TimeoutError:
        return False, f"no answer within {DEADLINE_S:.0f} s"
    except (aiohttp.ClientError, OSError, ValueError) as error:
        return False, error_words(error)
