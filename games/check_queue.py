"""Checks of submitted versions as matches of class ``check`` in the common queue (service.md, "Authors")."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from botapi import submissions
from botapi.models import Bot, Version
from botapi.protocol import HTTP_CLOCKS, SANDBOX_CLOCKS, Clocks
from engine import PRESETS
from games import queue
from games.models import Match, Series

RULES: Final = "pl-3"
AT_ONCE: Final = 50
REST_AFTER_FAILURE: Final = timedelta(hours=1)


def queue_checks() -> int:
    """Queue the check of every version that waits for one, once; how many."""
    return sum(_queue_check(version) for version in waiting_versions()[:AT_ONCE])


def waiting_versions() -> QuerySet[Version]:
    """Versions nobody has taken for their check yet, the oldest submission first.

    One whose check the service could not carry out in all its attempts rests for an hour, unless its author asks.
    """
    failed = Match.objects.filter(
        klass=Match.Class.CHECK,
        state=Match.State.FAILED,
        finished_at__gte=timezone.now() - REST_AFTER_FAILURE,
        seats__version=OuterRef("pk"),
    )
    resting = Q(check_code=Version.LOST) & Exists(failed)
    pending = Version.objects.filter(~resting, state=Version.State.PENDING)
    return pending.select_related("bot").order_by("pk")


def clocks_for(kind: str) -> dict[str, int]:
    """The starting clocks of protocol.md section 5 for a table where a bot of this kind sits."""
    clocks: Clocks = HTTP_CLOCKS if kind == Bot.Kind.HTTP else SANDBOX_CLOCKS
    return {
        "act_ms": clocks.act_ms,
        "bank_ms": clocks.bank_ms,
        "hard_ms": clocks.hard_ms,
        "start_ms": clocks.start_ms,
    }


@transaction.atomic
def _queue_check(version: Version) -> bool:
    if not submissions.begin_check(version):
        return False
    queue.enqueue(
        series=queue.open_series(Series.Kind.CHECKS, "checks"),
        klass=Match.Class.CHECK,
        rules=PRESETS[RULES],
        clocks=clocks_for(version.bot.kind),
        seats=[version],
        rated=False,
        requested_by=version.bot.owner,
    )
    return True
