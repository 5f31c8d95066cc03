"""API of the ladder, under /api/v1/: seasons, ratings, tournaments, the schedule and its calendar."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from ladder import (
    api,
    dated_api,
    export_api,
    pair_api,
    play_api,
    rules_api,
    schedule_pages,
    season_api,
    status_pages,
)
from ladder import season_making_api as seasons
from ladder import tournament_api as cups

urlpatterns: list[URLPattern | URLResolver] = [
    path("seasons/", seasons.SeasonList.as_view(), name="api-seasons"),
    path("seasons/<slug:slug>/", seasons.SeasonDetail.as_view(), name="api-season"),
    path("seasons/<slug:slug>/open/", seasons.SeasonOpen.as_view(), name="api-season-open"),
    path("seasons/<slug:slug>/close/", seasons.SeasonClose.as_view(), name="api-season-close"),
    path("seasons/<slug:slug>/standings/", api.Standings.as_view(), name="api-standings"),
    path("seasons/<slug:slug>/rating-events/", api.EventList.as_view(), name="api-rating-events"),
    path("seasons/<slug:slug>/board/", season_api.BoardDetail.as_view(), name="api-board"),
    path("seasons/<slug:slug>/matrix/", pair_api.SeasonMatrix.as_view(), name="api-matrix"),
    path("seasons/<slug:slug>/deals/", season_api.Deals.as_view(), name="api-deals"),
    path("seasons/<slug:slug>/records.ndjson", export_api.Records.as_view(), name="api-records"),
    path("seasons/<slug:slug>/results.csv", export_api.Results.as_view(), name="api-results"),
    path("seasons/<slug:slug>/standings.csv", export_api.StandingsCsv.as_view(), name="api-standings-csv"),
    path("bots/<slug:name>/ratings/", api.BotRatings.as_view(), name="api-bot-ratings"),
    path("bots/<slug:name>/rating-points/", api.BotPoints.as_view(), name="api-bot-points"),
    path("bots/<slug:name>/play/", play_api.BotPlay.as_view(), name="api-bot-play"),
    path("bots/<slug:name>/opponents/", pair_api.BotOpponents.as_view(), name="api-bot-opponents"),
    path("bots/<slug:name>/against/<slug:other>/", pair_api.BotAgainst.as_view(), name="api-bot-against"),
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
    path("rules/", rules_api.PresetList.as_view(), name="api-rules"),
    path("rules/differences/", rules_api.PresetDifferences.as_view(), name="api-rules-differences"),
    path("rules/<slug:name>/", rules_api.PresetDetail.as_view(), name="api-rules-preset"),
    path("schedule/", schedule_pages.ScheduleView.as_view(), name="api-schedule"),
    path("status/", status_pages.StatusView.as_view(), name="api-status"),
    path("dated-matches/", dated_api.DatedMatches.as_view(), name="api-dated-matches"),
    path(
        "dated-matches/<row:pk>/move/",
        dated_api.DatedMatchMove.as_view(),
        name="api-dated-match-move",
    ),
    path(
        "dated-matches/<row:pk>/cancel/",
        dated_api.DatedMatchCancel.as_view(),
        name="api-dated-match-cancel",
    ),
]
