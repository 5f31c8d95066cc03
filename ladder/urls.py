"""All addresses of the service: pages, the API under /api/v1/, the admin site."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from botapi import languages
from ladder import match_pages
from ladder.health import healthz

handler500 = "botapi.api.errors.broken"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", include("botapi.api.urls")),
    path("api/v1/", include("games.api_urls")),
    path("api/v1/", include("ladder.api_urls")),
    path("api/v1/", include("ladder.events.api_urls")),
    path("api/v1/schema/", SpectacularAPIView.as_view(), name="schema"),
    path(
        "api/v1/",
        SpectacularSwaggerSplitView.as_view(
            url_name="schema", template_name="docs/api.html", http_method_names=["get", "head"]
        ),
        name="api",
    ),
    path("healthz", healthz, name="healthz"),
    path("favicon.ico", RedirectView.as_view(url=f"{settings.STATIC_URL}ladder/mark.svg")),
    path("language/", languages.choose, name="set_language"),
    path("", include("botapi.urls")),
    path("", include("ladder.own_urls")),
    path("matches/<int:pk>/", match_pages.match, name="match"),
    path("", include("games.urls")),
    path("docs/", include("ladder.docs_urls")),
    path("", include("ladder.pages_urls")),
    path("", include("ladder.events.urls")),
    path("", include("ladder.season_urls")),
]
