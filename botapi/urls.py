"""Addresses of this package."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver

app_name = "bots"
urlpatterns: list[URLPattern | URLResolver] = []
