"""Webhooks of authors: verbs on an author's address, and events on their way to it (service.md, "Authors").

An event is a row, written in the transaction of what it tells. A task sends what is due, signed like the requests
to bots, and again after a pause until the endpoint answers with 2xx or the attempts are used up. An event may
arrive twice; its id stays the same.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext

from botapi import secrets, signing, wake_ups
from botapi.endpoints import accept_url
from botapi.errors import DomainError
from botapi.models import User, Webhook, WebhookEvent

CHECKED: Final = "bot.checked"
SUSPENDED: Final = "bot.suspended"
RESUMED: Final = "bot.resumed"
FINISHED: Final = "match.finished"
PING: Final = "webhook.ping"
KINDS: Final = (CHECKED, SUSPENDED, RESUMED, FINISHED, PING)

logger = logging.getLogger(__name__)

PAUSES_S: Final = (10, 60, 600, 3600, 6 * 3600)
"""Pause after each failed attempt; after the attempt that follows the last one an event has failed."""
KEPT: Final = timedelta(days=30)
PINGS_A_MINUTE: Final = 6
WAITING_MOST: Final = 100
"""Events that wait for one address: beyond them it is told of no more matches, for matches never end."""

State = WebhookEvent.State


@transaction.atomic
def set_webhook(user: User, url: str) -> str:
    """Send ``user``'s events to ``url`` from now on; returns the signing secret, to be shown once.

    DomainError ``bad_url`` for an address that will not do. Events still waiting go to the new address.
    """
    allow_private = settings.BOT_ENDPOINTS_ALLOW_PRIVATE
    address = accept_url(url, allow_private=allow_private)
    if not address.startswith("https://") and not allow_private:
        raise DomainError("bad_url", gettext("The address of a webhook must begin with https://."))
    secret = signing.new_secret()
    Webhook.objects.update_or_create(
        user=user, defaults={"url": address, "ciphertext": secrets.encrypt(secret)}
    )
    return secret


@transaction.atomic
def remove_webhook(user: User) -> None:
    """Send nothing more; events that wait are dropped."""
    Webhook.objects.filter(user=user).delete()


@transaction.atomic
def ping(user: User) -> WebhookEvent:
    """An event without meaning, to try the address. DomainError without a webhook, or when it is too many."""
    webhook = Webhook.objects.select_for_update().filter(user=user).first()
    if webhook is None:
        raise DomainError("no_webhook", gettext("Set the address of a webhook first."), 409)
    recent = webhook.events.filter(kind=PING, created_at__gt=timezone.now() - timedelta(minutes=1))
    if recent.count() >= PINGS_A_MINUTE:
        raise DomainError(
            "too_many_pings",
            gettext("At most %(most)d a minute; try again soon.") % {"most": PINGS_A_MINUTE},
            429,
        )
    return write(webhook, PING, {})


def tell(user: User | None, kind: str, data: dict[str, Any]) -> None:
    """Tell ``user``'s webhook, if there is one, in the transaction of what is told."""
    webhook = Webhook.objects.filter(user=user).first() if user is not None else None
    if webhook is not None:
        write(webhook, kind, data)


def that_keep_up(users: Collection[int]) -> list[Webhook]:
    """The webhooks of these users (keys) that do not leave more than :data:`WAITING_MOST` events unanswered."""
    waiting = Count("events", filter=Q(events__state=State.WAITING))
    found = Webhook.objects.filter(user__in=users).annotate(waiting=waiting)
    return list(found.filter(waiting__lt=WAITING_MOST))


def write(webhook: Webhook, kind: str, data: dict[str, Any]) -> WebhookEvent:
    """An event on its way to ``webhook``, in the transaction of what it tells."""
    now = timezone.now()
    event = WebhookEvent.objects.create(
        webhook=webhook,
        event_id=f"evt_{uuid.uuid4().hex}",
        kind=kind,
        body=json.dumps({"type": kind, "timestamp": now.isoformat(), "data": data}, ensure_ascii=False),
        next_at=now,
    )
    wake_ups.send_after_commit("botapi.send_webhooks")
    return event


@transaction.atomic
def take_due(*, now: datetime, limit: int) -> list[WebhookEvent]:
    """Take events that are due for one attempt each: nobody else sends them before the next pause is over."""
    due = WebhookEvent.objects.select_for_update(skip_locked=True, of=("self",)).select_related("webhook")
    taken = list(due.filter(state=State.WAITING, next_at__lte=now).order_by("next_at", "pk")[:limit])
    for event in taken:
        pause = PAUSES_S[min(event.attempts, len(PAUSES_S) - 1)]
        event.attempts += 1
        event.next_at = now + timedelta(seconds=pause)
    WebhookEvent.objects.bulk_update(taken, ["attempts", "next_at"])
    return taken


def settle(event: WebhookEvent, *, delivered: bool, answer: str) -> None:
    """Write down what the attempt of a taken event came to."""
    if delivered:
        event.state = State.DELIVERED
    elif event.attempts > len(PAUSES_S):
        event.state = State.FAILED
        logger.warning("webhook event %s failed for good: %s", event.event_id, answer)
    event.answer = answer[:200]
    event.save(update_fields=["state", "answer"])


def forget_old(*, now: datetime) -> None:
    """Delete events that are long over."""
    WebhookEvent.objects.exclude(state=State.WAITING).filter(created_at__lt=now - KEPT).delete()
