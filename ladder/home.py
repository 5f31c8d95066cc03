"""The home page, and bots as the public sees them."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from botapi.queries import public_bots
from games import listing as games
from games.models import Match
from ladder import queries, tournament_queries
from ladder.eligibility import why_no_match
from ladder.schedules import next_round


def home(request: HttpRequest) -> HttpResponse:
    """Top of the ladder, newest replays, what is played next, the way to a first bot."""
    season = queries.current_season()
    pool = queries.pool_of(season) if season else None
    context = {
        "season": season,
        "standings": queries.standings(pool)[:8] if pool else [],
        "tournaments": tournament_queries.under_way()[:8],
        "newest": games.listed(state=Match.State.FINISHED)[:8],
        "running": games.listed(state=Match.State.RUNNING)[:8],
        "queued": games.listed(state=Match.State.QUEUED)[:8],
    }
    return render(request, "ladder/home.html", context)


def bots(request: HttpRequest) -> HttpResponse:
    """All bots that were not withdrawn."""
    found = public_bots().exclude(state="withdrawn").order_by("name")
    return render(request, "ladder/bots.html", {"bots": found[:1000]})


def bot(request: HttpRequest, name: str) -> HttpResponse:
    """One bot: author, kind, state and its reason, rating, versions, matches."""
    found = queries.bot_by_name(name)
    if found is None:
        raise Http404("There is no such bot.")
    season = queries.current_season()
    pool = queries.pool_of(season) if season else None
    context = {
        "bot": found,
        "season": season,
        "standing": queries.standing_of(queries.standings(pool), found) if pool else None,
        "versions": found.versions.defer("check_report").order_by("-number")[:50],
        "matches": games.listed(bot=name)[:20],
        "entries": tournament_queries.entries_of(found),
        "next_match": queries.next_match(found),
        "why_no_match": why_no_match(found, season),
        "next_round": next_round(season),
    }
    return render(request, "ladder/bot.html", context)
