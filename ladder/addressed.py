"""What an address of the API names, or 404."""

from __future__ import annotations

from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from botapi.models import Bot
from ladder import queries
from ladder.models import Pool, Season


def season_of(slug: str) -> Season:
    """The opened season of this name."""
    season = queries.season_by_slug(slug)
    if season is None:
        raise NotFound("There is no such season.")
    return season


def pool_of(slug: str) -> Pool:
    """The rating pool of an opened season."""
    pool = queries.pool_of(season_of(slug))
    if pool is None:
        raise NotFound("There is no such season.")
    return pool


def bot_of(name: str) -> Bot:
    """The bot of this name."""
    bot = queries.bot_by_name(name)
    if bot is None:
        raise NotFound("There is no such bot.")
    return bot


def slug_asked(request: Request) -> str:
    """The season of ``?season=slug``, else the current one; empty before the first."""
    if wanted := request.query_params.get("season"):
        return wanted
    current = queries.current_season()
    return current.slug if current else ""
