"""Addresses of events."""

from __future__ import annotations

from django.urls import URLPattern, path

from ladder.events import organiser_views, views

urlpatterns: list[URLPattern] = [
    path("events/", views.events, name="events"),
    path("events/new/", organiser_views.new_event, name="event_new"),
    path("events/tables/<row:pk>/", views.of_table, name="event_of_table"),
    path("events/<slug:slug>/", views.event, name="event"),
    path("events/<slug:slug>/enter/", views.enter, name="event_enter"),
    path("events/<slug:slug>/leave/", views.leave, name="event_leave"),
    path("events/<slug:slug>/check-in/", views.check_in, name="event_check_in"),
    path("events/<slug:slug>/play/", views.play, name="event_play"),
    path("events/<slug:slug>/bots/<int:pk>/", views.answer_for_bot, name="event_bot"),
    path("events/<slug:slug>/organise/", organiser_views.organise, name="event_organise"),
    path("events/<slug:slug>/organise/edit/", organiser_views.edit_event, name="event_edit"),
    path("events/<slug:slug>/organise/bot/", organiser_views.ask_bot, name="event_ask_bot"),
    path(
        "events/<slug:slug>/organise/bot/<row:pk>/back/",
        organiser_views.take_bot_back,
        name="event_take_bot_back",
    ),
    path("events/<slug:slug>/organise/step/", organiser_views.take_step, name="event_step"),
    path("events/<slug:slug>/organise/void/", organiser_views.void_deal, name="event_void_deal"),
]
