"""Checks of submitted versions as matches of class ``check`` in the common queue (service.md, "Authors")."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from botapi import submissions
from botapi.models import Bot, Version
from botapi.protocol import HTTP_CLOCKS, SANDBOX_CLOCKS, Clocks
from engine import PRESETS
from games import queue
from games.models import Match, Series

RULES: Final = "pl-3"
AT_ONCE: Final = 50


def queue_checks() -> int:
    """Queue the check of every version that waits for one, once; how many."""
    return sum(_queue_check(version) for version in waiting_versions()[:AT_ONCE])


def waiting_versions() -> QuerySet[Version]:
    """Versions nobody has taken for their check yet, the oldest submission first."""
    return Version.objects.filter(state=Version.State.PENDING).select_related("bot").order_by("pk")


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
