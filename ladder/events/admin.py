"""Events in the admin site: looked at, cancelled, published. They are made and run on the organiser's page."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from botapi.operator_pages import LookOnly, LookOnlyLines, ReasonForm, do_each, reason_given
from ladder.events import running
from ladder.events.models import Event, EventBot, EventEntry


class EventBotLines(LookOnlyLines):
    """Who sits for the service."""

    model = EventBot
    readonly_fields = ("bot", "role", "version", "agreed_at", "declined_at")
    fields = readonly_fields


class EventEntryLines(LookOnlyLines):
    """Who takes part."""

    model = EventEntry
    readonly_fields = ("alias", "state", "team", "checked_in_at", "device")
    fields = readonly_fields


@admin.register(Event)
class EventAdmin(LookOnly):
    """Events with their bots and people."""

    list_display = ["name", "format", "phase", "starts_at", "organiser", "published_at"]
    list_filter = ["phase", "format"]
    search_fields = ["name", "slug"]
    inlines = [EventBotLines, EventEntryLines]
    action_form = ReasonForm
    actions = ["cancel", "publish"]

    @admin.action(description="Cancel, with the reason")
    def cancel(self, request: HttpRequest, chosen: QuerySet[Event]) -> None:
        reason = reason_given(request) or "by an operator"
        do_each(self, request, chosen, lambda event: running.cancel(event, reason=reason), "cancelled")

    @admin.action(description="Publish")
    def publish(self, request: HttpRequest, chosen: QuerySet[Event]) -> None:
        do_each(self, request, chosen, running.publish, "published")
