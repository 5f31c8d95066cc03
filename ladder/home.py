"""The home page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from games import listing as games
from games.models import Match
from ladder import queries, tournament_queries


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
