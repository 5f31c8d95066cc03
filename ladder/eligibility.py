"""Who may play rated matches, and why a bot gets none (ratings.md; service.md, "Authors")."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Final

from django.db.models import Q, QuerySet
from django.utils import timezone

from botapi.models import Bot, Version
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
    version = bot.active_version
    if season is None or season.state != Season.State.OPEN:
        return "no season is open"
    if bot.state != Bot.State.ACTIVE:
        said = f": {bot.state_reason.rstrip('.')}" if bot.state_reason else ""
        return f"{bot.get_state_display()}{said}"
    if version is None or version.state != Version.State.PASSED:
        return _why_no_version(bot)
    if bot.owner is not None and not (bot.owner.is_active and bot.owner.email_verified_at):
        return "its author's e-mail address is not verified"
    pool = pool_of(season)
    if pool is not None and version.pk in over_quota(pool, [bot]):
        return f"more than {VERSIONS_A_DAY} versions in 24 hours: the newest waits"
    return ""


def _why_no_version(bot: Bot) -> str:
    newest = bot.versions.only("number", "state").order_by("-number").first()
    if newest is None:
        return "no version was submitted yet"
    if newest.state == Version.State.REFUSED:
        return f"version {newest.number} was refused by its check"
    if newest.state != Version.State.PASSED:
        return f"version {newest.number} is being checked"
    return "no version has passed its check yet"


def over_quota(pool: Pool, bots: list[Bot]) -> set[int]:
    """Active versions not in the pool yet whose bots brought in as many as allowed within 24 hours."""
    recent = RatingPoint.objects.filter(
        pool=pool,
        event__kind=RatingEvent.Kind.VERSION,
        version__bot__in=bots,
        at__gte=timezone.now() - timedelta(days=1),
    ).values_list("version__bot_id", flat=True)
    full = {bot for bot, count in Counter(recent).items() if count >= VERSIONS_A_DAY}
    waiting = {bot.active_version_id for bot in bots if bot.pk in full and bot.active_version_id is not None}
    return waiting - set(pool.ratings.filter(version__in=waiting).values_list("version_id", flat=True))
