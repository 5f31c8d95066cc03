"""Pages of the ladder: each parses, reads, renders."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from games import listing
from games.queries import public_secret
from ladder import queries, ratings
from ladder.curves import curve
from ladder.eligibility import why_no_match
from ladder.histories import history
from ladder.models import Pool, Season
from ladder.queries import pool_of
from ladder.schedules import announced, next_round, open_seasons

BOTS_A_PAGE = 50
"""So many lines of a ladder are shown at once: a page of hundreds takes longer to write than all its queries."""


def ladder(request: HttpRequest) -> HttpResponse:
    """The ladder of the current season, or of another open one: ``?season=slug``."""
    wanted = request.GET.get("season", "")
    found = queries.season_by_slug(wanted) if wanted else queries.current_season()
    if wanted and found is None:
        raise Http404("There is no such season.")
    return _season_page(request, found, "ladder/ladder.html", {"open_seasons": list(open_seasons())})


def season(request: HttpRequest, slug: str) -> HttpResponse:
    """A season: its ladder, rules, clocks, dates and what is published of its secret."""
    found = queries.season_by_slug(slug)
    if found is None:
        raise Http404("There is no such season.")
    return _season_page(request, found, "ladder/season.html")


def seasons(request: HttpRequest) -> HttpResponse:
    """Seasons that are open, those announced, and the archive of closed ones."""
    opened = list(queries.seasons()[:200])
    context = {
        "open_seasons": [season for season in opened if season.state == Season.State.OPEN],
        "announced": announced(),
        "archive": [season for season in opened if season.state == Season.State.CLOSED],
    }
    return render(request, "ladder/seasons.html", context)


def method(request: HttpRequest) -> HttpResponse:
    """How ratings and pairing work, with their constants."""
    return render(request, "ladder/method.html", {"ratings": ratings})


def bot_rating(request: HttpRequest, name: str) -> HttpResponse:
    """A bot's rating in one season (``?season=slug``): curve, standing, each change (``?before=seq``)."""
    bot = queries.bot_by_name(name)
    if bot is None:
        raise Http404("There is no such bot.")
    wanted = request.GET.get("season")
    found = queries.season_by_slug(wanted) if wanted else queries.current_season()
    if wanted and found is None:
        raise Http404("There is no such season.")
    pool = pool_of(found) if found else None
    before = request.GET.get("before", "")
    changes = history(bot, pool, before=listing.number(before)) if pool else []
    context = {
        "bot": bot,
        "season": found,
        "standing": queries.standing_of(pool, bot) if pool else None,
        "curve": curve(queries.curve_points(bot, pool)) if pool else None,
        "changes": changes,
        "older": changes[-1].seq if len(changes) == 25 else None,
        "ratings": queries.pools_of(bot),
        "next_match": queries.next_match(bot),
        "why_no_match": why_no_match(bot, found),
        "next_round": next_round(found),
    }
    return render(request, "ladder/bot_rating.html", context)


def _season_page(
    request: HttpRequest, found: Season | None, template: str, more: dict[str, Any] | None = None
) -> HttpResponse:
    pool: Pool | None = pool_of(found) if found else None
    page = Paginator(queries.standings(pool) if pool else [], BOTS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "season": found,
        "pool": pool,
        "page": page,
        "standings": queries.drawn(list(page.object_list), pool) if pool else [],
        "secret": public_secret(found.series) if found and found.series else None,
        **(more or {}),
    }
    return render(request, template, context)
