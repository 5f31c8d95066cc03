"""API of events, under /api/v1/."""

from __future__ import annotations

from django.urls import URLPattern, path

from ladder.events import api

urlpatterns: list[URLPattern] = [
    path("events/", api.EventList.as_view(), name="api-events"),
    path("events/invitations/", api.Invitations.as_view(), name="api-event-invitations"),
    path("events/invitations/<row:pk>/", api.InvitationAnswer.as_view(), name="api-event-invitation"),
    path("events/<slug:slug>/", api.EventDetail.as_view(), name="api-event"),
    path("events/<slug:slug>/entry/", api.EventEntryView.as_view(), name="api-event-entry"),
    path("events/<slug:slug>/check-in/", api.EventCheckIn.as_view(), name="api-event-check-in"),
    path("events/<slug:slug>/play/", api.EventPlay.as_view(), name="api-event-play"),
    path("events/<slug:slug>/bots/", api.EventBots.as_view(), name="api-event-bots"),
    path("events/<slug:slug>/bots/<row:pk>/", api.EventBotTaken.as_view(), name="api-event-bot"),
    path("events/<slug:slug>/step/", api.EventStep.as_view(), name="api-event-step"),
    path("events/<slug:slug>/tables/", api.EventTables.as_view(), name="api-event-tables"),
    path("events/<slug:slug>/void-deals/", api.EventVoidDeals.as_view(), name="api-event-void-deals"),
]
