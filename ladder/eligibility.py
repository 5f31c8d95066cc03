"""Who may play rated matches, and why a bot gets none (ratings.md; service.md, "Authors")."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Final

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from botapi.models import Bot, Version
from botapi.queries import why_waiting
from ladder.models import Pool, RatingEvent, RatingPoint, Season
from ladder.queries import pool_of

VERSIONS_A_DAY: Final = 4
"""Rated versions a bot may bring into a pool within 24 hours (ratings.md)."""


def eligible_bots() -> QuerySet[Bot]:
    """Bots that may play rated matches: active, version passed, author reachable; house bots always.

    Suspended, paused and withdrawn ones are not active (service.md, "Authors").
    """
    owner = Q(owner__isnull=True) | Q(owner__is_active=True, owner__email_verified_at__isnull=False)
    return Bot.objects.filter(
        owner, state=Bot.State.ACTIVE, active_version__state=Version.State.PASSED
    ).select_related("active_version", "owner")


def why_no_match(bot: Bot, season: Season | None) -> str:
    """Why ``bot`` gets no rated match now, as a sentence; empty when it will get one."""
    waiting = why_waiting(bot)
    if waiting:
        return waiting
    if season is None or season.state != Season.State.OPEN:
        return gettext("No season is open.")
    pool = pool_of(season)
    if pool is not None and bot.active_version_id in over_quota(pool, [bot]):
        return ngettext(
            "More than %(count)d version came in 24 hours: the newest waits.",
            "More than %(count)d versions came in 24 hours: the newest waits.",
            VERSIONS_A_DAY,
        ) % {"count": VERSIONS_A_DAY}
    return ""


def over_quota(pool: Pool, bots: list[Bot]) -> set[int]:
    """Active versions not in the pool yet whose bots brought in as many as allowed within 24 hours."""
    recent = RatingPoint.objects.filter(
        pool=pool,
        n=0,
        event__kind=RatingEvent.Kind.VERSION,
        version__bot__in=bots,
        at__gte=timezone.now() - timedelta(days=1),
    ).values_list("version__bot_id", flat=True)
    full = {bot for bot, count in Counter(recent).items() if count >= VERSIONS_A_DAY}
    waiting = {bot.active_version_id for bot in bots if bot.pk in full and bot.active_version_id is not None}
    return waiting - set(pool.ratings.filter(version__in=waiting).values_list("version_id", flat=True))
