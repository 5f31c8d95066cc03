"""Addresses of the docs."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from ladder import docs, rules_pages

urlpatterns: list[URLPattern | URLResolver] = [
    path("", docs.index, name="docs"),
    path("first-bot/", docs.first_bot, name="docs_first_bot"),
    path("protocol/", docs.protocol_page, name="docs_protocol"),
    path("errors/", docs.errors, name="docs_errors"),
    path("api/", docs.api_overview, name="docs_api"),
    path("notation/", docs.text_notation, name="docs_notation"),
    path("rules/", rules_pages.index, name="docs_rules"),
    path("rules/differences/", rules_pages.compare, name="docs_rules_differences"),
    path("rules/<str:name>/", rules_pages.preset, name="docs_rules_preset"),
]
