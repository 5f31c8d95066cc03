"""The home page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from games import listing as games
from games import live
from games.models import Match
from ladder import queries, tournament_queries
from ladder.events.queries import open_events

SHOWN = 8
TABLES_SHOWN = 3


def home(request: HttpRequest) -> HttpResponse:
    """What is on, the top of the ladder, newest replays, what is played next, the ways in."""
    season = queries.current_season()
    pool = queries.pool_of(season) if season else None
    top = queries.standings(pool)[:SHOWN] if pool else []
    context = {
        "season": season,
        "standings": queries.drawn(top, pool) if pool else [],
        "tournaments": tournament_queries.under_way()[:SHOWN],
        "events": open_events()[:SHOWN],
        "newest": games.lines(games.listed(games.Wish(state=Match.State.FINISHED))[:SHOWN]),
        "tables": live.tables()[:TABLES_SHOWN],
        "queued": games.lines(games.listed(games.Wish(state=Match.State.QUEUED))[:SHOWN]),
    }
    return render(request, "ladder/home.html", context)
