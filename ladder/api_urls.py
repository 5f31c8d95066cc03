"""API of seasons and ratings, under /api/v1/."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from ladder import api

urlpatterns: list[URLPattern | URLResolver] = [
    path("seasons/", api.SeasonList.as_view(), name="api-seasons"),
    path("seasons/<slug:slug>/", api.SeasonDetail.as_view(), name="api-season"),
    path("seasons/<slug:slug>/standings/", api.Standings.as_view(), name="api-standings"),
    path("seasons/<slug:slug>/rating-events/", api.EventList.as_view(), name="api-events"),
    path("bots/<slug:name>/ratings/", api.BotRatings.as_view(), name="api-bot-ratings"),
    path("bots/<slug:name>/rating-points/", api.BotPoints.as_view(), name="api-bot-points"),
]
