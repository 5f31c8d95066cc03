"""API of a season beside its standings, the schedule and its calendar, under /api/v1/."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from ladder import dated_api, export_api, pair_api, schedule_pages, season_api, status_pages

urlpatterns: list[URLPattern | URLResolver] = [
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
    path("seasons/<slug:slug>/board/", season_api.BoardDetail.as_view(), name="api-board"),
    path("seasons/<slug:slug>/deals/", season_api.Deals.as_view(), name="api-deals"),
    path("seasons/<slug:slug>/records.ndjson", export_api.Records.as_view(), name="api-records"),
    path("seasons/<slug:slug>/results.csv", export_api.Results.as_view(), name="api-results"),
    path("seasons/<slug:slug>/standings.csv", export_api.StandingsCsv.as_view(), name="api-standings-csv"),
    path("bots/<slug:name>/opponents/", pair_api.BotOpponents.as_view(), name="api-bot-opponents"),
    path("bots/<slug:name>/against/<slug:other>/", pair_api.BotAgainst.as_view(), name="api-bot-against"),
]
