"""Addresses of matches, series, test matches and private logs under /api/v1/."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path, register_converter

from games import api, live_views, practice_api, table_api
from games.converters import RowConverter, SeatConverter

register_converter(RowConverter, "row")
register_converter(SeatConverter, "seat")

urlpatterns: list[URLPattern | URLResolver] = [
    path("matches/", api.MatchList.as_view(), name="api-matches"),
    path("matches/<row:pk>/", api.MatchDetail.as_view(), name="api-match"),
    path("matches/<row:pk>/record/", api.MatchRecord.as_view(), name="api-match-record"),
    path("matches/<row:pk>/record.txt", api.MatchText.as_view(), name="api-match-text"),
    path("matches/<row:pk>/fairness/", api.MatchFairness.as_view(), name="api-match-fairness"),
    path("matches/<row:pk>/logs/", api.LogList.as_view(), name="api-match-logs"),
    path("matches/<row:pk>/logs/<seat:seat>/", api.LogDetail.as_view(), name="api-match-log"),
    path("live/", live_views.LiveTables.as_view(), name="api-live"),
    path("live/<row:pk>/", live_views.LiveTableDetail.as_view(), name="api-live-table"),
    path("practice/", table_api.NewPractice.as_view(), name="api-practice"),
    path("practice/games/", practice_api.PracticeGames.as_view(), name="api-practice-games"),
    path("practice/mine/", practice_api.OwnPractice.as_view(), name="api-practice-mine"),
    path("tables/<row:pk>/", table_api.Table.as_view(), name="api-table"),
    path("tables/<row:pk>/answer/", table_api.TableAnswer.as_view(), name="api-table-answer"),
    path("tables/<row:pk>/back/", table_api.TableReturn.as_view(), name="api-table-back"),
    path("tables/<row:pk>/pace/", table_api.TablePace.as_view(), name="api-table-pace"),
    path("tables/<row:pk>/leave/", table_api.TableEnd.as_view(), name="api-table-leave"),
    path("series/", api.SeriesList.as_view(), name="api-series-list"),
    path("series/<row:pk>/", api.SeriesDetail.as_view(), name="api-series"),
    path("test-matches/", api.TestMatches.as_view(), name="api-test-matches"),
]
