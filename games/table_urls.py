"""Addresses of the tables at which people play."""

from __future__ import annotations

from django.urls import URLPattern, path

from games import practice_views, table_views

urlpatterns: list[URLPattern] = [
    path("play/", practice_views.play, name="play"),
    path("practice/", practice_views.practice_games, name="practice"),
    path("tables/<int:pk>/", table_views.table, name="table"),
    path("tables/<int:pk>/now/", table_views.now, name="table_now"),
    path("tables/<int:pk>/act/", table_views.act, name="table_act"),
    path("tables/<int:pk>/settings/", table_views.settings, name="table_settings"),
    path("tables/<int:pk>/back/", table_views.back, name="table_back"),
    path("tables/<int:pk>/leave/", table_views.leave, name="table_leave"),
    path("tables/<int:pk>/stream/", table_views.stream, name="table_stream"),
]
