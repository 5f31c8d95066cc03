"""Pages of a season beside its ladder, the schedule and the status of the service."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from ladder import schedule_pages, season_pages, status_pages

urlpatterns: list[URLPattern | URLResolver] = [
    path("schedule/", schedule_pages.page, name="schedule"),
    path("status/", status_pages.page, name="status"),
    path("seasons/<slug:slug>/board/", season_pages.board, name="season_board"),
    path("seasons/<slug:slug>/deals/", season_pages.deals, name="season_deals"),
]
