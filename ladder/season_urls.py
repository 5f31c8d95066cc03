"""Pages of a season beside its ladder."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from ladder import season_pages

urlpatterns: list[URLPattern | URLResolver] = [
    path("seasons/<slug:slug>/board/", season_pages.board, name="season_board"),
    path("seasons/<slug:slug>/deals/", season_pages.deals, name="season_deals"),
]
