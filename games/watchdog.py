"""What beat wakes: lost leases, lost wake-ups, old private logs. Redis may be emptied at any time."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now

from games import queue, results
from games.models import Match, SeatLog

logger = logging.getLogger(__name__)

WAKE_AGAIN_S: Final = 15
WAKES_AT_ONCE: Final = 50
LOGS_AT_ONCE: Final = 500


def watch() -> dict[str, int]:
    """Queue again what lost its worker, wake what nobody woke, delete old private logs; how many each."""
    return {"lost": end_lost_leases(), "woken": wake_forgotten(), "logs": delete_old_logs()}


def end_lost_leases() -> int:
    """Queue again each running match whose lease ran out."""
    lost = Match.objects.filter(state=Match.State.RUNNING, lease_until__lt=Now())
    return sum(
        results.infra_lost(match, attempt, "its worker was lost: the lease ran out")
        for match, attempt in lost.values_list("pk", "attempt")
    )


def wake_forgotten() -> int:
    """Send wake-ups again for matches that are due and were not woken lately, the first ones first."""
    woken = 0
    for name in queue.QUEUES:
        forgotten = queue.due(name).filter(
            Q(woken_at__isnull=True) | Q(woken_at__lt=Now() - timedelta(seconds=WAKE_AGAIN_S))
        )
        for match in list(forgotten[:WAKES_AT_ONCE]):
            if not queue.wake(match.pk, waiting=match.waiting):
                return woken  # the broker is away; they stay forgotten
            woken += Match.objects.filter(pk=match.pk).update(woken_at=Now())
    return woken


def delete_old_logs() -> int:
    """Delete private logs older than LOG_DAYS; only the oldest rows are looked at."""
    oldest = SeatLog.objects.order_by("pk").values_list("pk", flat=True)[:LOGS_AT_ONCE]
    old = SeatLog.objects.filter(
        pk__in=list(oldest), created_at__lt=Now() - timedelta(days=settings.LOG_DAYS)
    )
    return old.delete()[0]
