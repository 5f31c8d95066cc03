"""What beat wakes: rating and matchmaking. The truth is in PostgreSQL; a lost wake-up costs seconds."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from celery import shared_task
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from games import guests
from ladder import (
    deal_counting,
    leaving,
    matchmaking,
    pair_flags,
    play_counting,
    rating_log,
    seasons,
    tournaments,
)
from ladder.events import running
from ladder.models import Pool, Season

logger = logging.getLogger(__name__)

RATED_AFTER_REVEALING: Final = timedelta(days=7)


@contextmanager
def _alone(season: Season) -> Iterator[None]:
    """What goes wrong with a season is told of in the log, and the others go on; the next beat tries again.

    A database that is away is nothing of a season's.
    """
    try:
        yield
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        logger.exception("season %s was left out", season.slug)


@shared_task(name="ladder.rate")
def rate() -> None:
    """Rate what has finished in each pool, withdraw what was declared void; what has ended is published.

    A pool is looked at for some time after its season's secret was revealed: the last match may have ended
    between its rating and the revealing, and an operator may declare one void when the season is over.
    """
    ended = timezone.now() - RATED_AFTER_REVEALING
    for pool in Pool.objects.exclude(season__series__revealed_at__lt=ended).select_related("season"):
        with _alone(pool.season):
            rating_log.rate_finished(pool)
            if seasons.is_played_out(pool.season):
                rating_log.publish_board(pool)
    seasons.reveal_secrets()


@shared_task(name="ladder.matchmaking")
def schedule() -> None:
    """Open and close seasons by their dates; queue matches of the open ones, once what finished is rated."""
    seasons.follow_dates()
    for season in Season.objects.filter(state=Season.State.OPEN):
        with _alone(season):
            for pool in season.pools.all():
                rating_log.rate_finished(pool)
            matchmaking.schedule(season)


@shared_task(name="ladder.count_deals")
def count_deals() -> None:
    """Count the cards that public finished matches of each season dealt, and how bots played them."""
    for season in Season.objects.exclude(state=Season.State.DRAFT).order_by("-pk"):
        with _alone(season):
            deal_counting.count_deals(season)
            for pool in season.pools.all():
                play_counting.count_play(pool)


@shared_task(name="ladder.publish_boards")
def publish_boards() -> None:
    """The nightly board of each open season."""
    for pool in Pool.objects.filter(season__state=Season.State.OPEN).select_related("season"):
        with _alone(pool.season):
            rating_log.rate_finished(pool)
            rating_log.publish_board(pool)


@shared_task(name="ladder.flag_pairs")
def flag_pairs() -> None:
    """The nightly pair test of each open season."""
    for pool in Pool.objects.filter(season__state=Season.State.OPEN).select_related("season"):
        with _alone(pool.season):
            pair_flags.flag_pairs(pool)


@shared_task(name="ladder.tournaments")
def move_tournaments_on() -> None:
    """Start tournaments whose time has come, begin and end their rounds, publish their results."""
    tournaments.advance_all()


@shared_task(name="ladder.events")
def move_events() -> None:
    """Move events on: check-in, start, tables, end, publication."""
    running.advance_all()


@shared_task(name="ladder.erase_left")
def erase_left() -> None:
    """Erase what is left of people who deleted their accounts, and where guests came from, once it is needed no more."""
    leaving.erase_left()
    guests.forget_origins()
