"""API of a season beside its standings, under /api/v1/."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from ladder import season_api

urlpatterns: list[URLPattern | URLResolver] = [
    path("seasons/<slug:slug>/board/", season_api.BoardDetail.as_view(), name="api-board"),
    path("seasons/<slug:slug>/deals/", season_api.Deals.as_view(), name="api-deals"),
]
