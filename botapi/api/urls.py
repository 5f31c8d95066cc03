"""Addresses of bots, versions and tokens under /api/v1/."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from botapi import api_views as views
from botapi import version_api as versions
from botapi import webhook_api
from botapi.api import schema

assert schema  # imported for drf-spectacular, which collects its extensions as they are imported

urlpatterns: list[URLPattern | URLResolver] = [
    path("me/", views.Me.as_view(), name="api-me"),
    path("me/webhook/", webhook_api.WebhookView.as_view(), name="api-webhook"),
    path("me/webhook/ping/", webhook_api.WebhookPing.as_view(), name="api-webhook-ping"),
    path("auth/token/", views.LogIn.as_view(), name="api-login"),
    path("tokens/", views.TokenList.as_view(), name="api-tokens"),
    path("tokens/<int:id>/", views.TokenDetail.as_view(), name="api-token"),
    path("bots/", views.BotList.as_view(), name="api-bots"),
    path("bots/<slug:name>/", views.BotDetail.as_view(), name="api-bot"),
    path("bots/<slug:name>/pause/", views.BotPause.as_view(), name="api-bot-pause"),
    path("bots/<slug:name>/resume/", views.BotResume.as_view(), name="api-bot-resume"),
    path("bots/<slug:name>/withdraw/", views.BotWithdraw.as_view(), name="api-bot-withdraw"),
    path("bots/<slug:name>/secret/", views.BotSecret.as_view(), name="api-bot-secret"),
    path("bots/<slug:name>/versions/", versions.VersionList.as_view(), name="api-versions"),
    path("bots/<slug:name>/versions/<int:number>/", versions.VersionDetail.as_view(), name="api-version"),
    path(
        "bots/<slug:name>/versions/<int:number>/check/",
        versions.VersionCheck.as_view(),
        name="api-version-check",
    ),
    path(
        "bots/<slug:name>/versions/<int:number>/activate/",
        versions.VersionActivate.as_view(),
        name="api-version-activate",
    ),
    path(
        "bots/<slug:name>/versions/<int:number>/source/",
        versions.VersionSource.as_view(),
        name="api-version-source",
    ),
]
