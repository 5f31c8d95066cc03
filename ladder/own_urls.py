"""A person's own pages that need every package."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from ladder import own_pages

urlpatterns: list[URLPattern | URLResolver] = [
    path("me/", own_pages.me, name="me"),
    path("me/export/", own_pages.export, name="me_export"),
    path("me/delete/", own_pages.delete, name="me_delete"),
    path("me/bots/<slug:name>/", own_pages.own_bot, name="own_bot"),
]
