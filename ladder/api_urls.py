"""API of seasons and ratings, under /api/v1/."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from ladder import api
from ladder import season_making_api as seasons
from ladder import tournament_api as cups

urlpatterns: list[URLPattern | URLResolver] = [
    path("seasons/", seasons.SeasonList.as_view(), name="api-seasons"),
    path("seasons/<slug:slug>/", seasons.SeasonDetail.as_view(), name="api-season"),
    path("seasons/<slug:slug>/open/", seasons.SeasonOpen.as_view(), name="api-season-open"),
    path("seasons/<slug:slug>/close/", seasons.SeasonClose.as_view(), name="api-season-close"),
    path("seasons/<slug:slug>/standings/", api.Standings.as_view(), name="api-standings"),
    path("seasons/<slug:slug>/rating-events/", api.EventList.as_view(), name="api-events"),
    path("bots/<slug:name>/ratings/", api.BotRatings.as_view(), name="api-bot-ratings"),
    path("bots/<slug:name>/rating-points/", api.BotPoints.as_view(), name="api-bot-points"),
    path("tournaments/", cups.TournamentList.as_view(), name="api-tournaments"),
    path("tournaments/<slug:slug>/", cups.TournamentDetail.as_view(), name="api-tournament"),
    path(
        "tournaments/<slug:slug>/standings/",
        cups.TournamentStandings.as_view(),
        name="api-tournament-standings",
    ),
    path("tournaments/<slug:slug>/rounds/", cups.TournamentRounds.as_view(), name="api-tournament-rounds"),
    path("tournaments/<slug:slug>/entrants/", cups.EntrantList.as_view(), name="api-entrants"),
    path(
        "tournaments/<slug:slug>/entrants/<slug:bot>/withdraw/",
        cups.EntrantWithdraw.as_view(),
        name="api-entrant-withdraw",
    ),
    path("tournaments/<slug:slug>/enter/", cups.EntrantEnter.as_view(), name="api-entrant-enter"),
    path(
        "tournaments/<slug:slug>/entrants/<slug:bot>/exclude/",
        cups.EntrantExclude.as_view(),
        name="api-entrant-exclude",
    ),
    path("tournaments/<slug:slug>/open/", cups.TournamentOpen.as_view(), name="api-tournament-open"),
    path("tournaments/<slug:slug>/start/", cups.TournamentStart.as_view(), name="api-tournament-start"),
    path("tournaments/<slug:slug>/publish/", cups.TournamentPublish.as_view(), name="api-tournament-publish"),
    path("tournaments/<slug:slug>/cancel/", cups.TournamentCancel.as_view(), name="api-tournament-cancel"),
    path(
        "tournaments/<slug:slug>/matches/<int:match>/void/",
        cups.MatchVoid.as_view(),
        name="api-tournament-void",
    ),
]
