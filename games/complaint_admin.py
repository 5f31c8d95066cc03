"""Operators settle complaints about bots' names and notes; a hidden name is hidden at the tables of the past as well."""

from __future__ import annotations

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from botapi import complaints
from botapi.models import Complaint
from botapi.operator_pages import LookOnly, do_each
from games.models import Seat
from games.queue import OPEN_STATES


@transaction.atomic
def uphold(complaint: Complaint) -> None:
    """Hide what the complaint is about.

    Matches that wait or run keep the name they were made with, and so do records, whose bytes never change.
    """
    complaints.settle(complaint, upheld=True)
    if complaint.about == Complaint.About.NAME:
        complaint.bot.refresh_from_db(fields=["name"])
        seats = Seat.objects.filter(version__bot=complaint.bot_id).exclude(match__state__in=OPEN_STATES)
        seats.update(name=complaint.bot.name)


@admin.register(Complaint)
class ComplaintAdmin(LookOnly):
    """What people report: read it, then hide or leave."""

    list_display = ["bot", "about", "reason", "notes", "reporter", "state", "created_at", "settled_at"]
    list_filter = ["state", "about"]
    list_select_related = ["bot", "reporter"]
    search_fields = ["bot__name", "bot__former_name", "reporter__username"]
    date_hierarchy = "created_at"
    fields = ["bot", "about", "reason", "notes", "reporter", "state", "created_at", "settled_at"]
    actions = ["hide", "leave_it"]

    @admin.display
    def notes(self, complaint: Complaint) -> str:
        """The public notes of the bot."""
        return complaint.bot.notes

    @admin.action(description="Hide what the selected reports are about")
    def hide(self, request: HttpRequest, queryset: QuerySet[Complaint]) -> None:
        """Names become words that say nothing, notes are not shown."""
        do_each(self, request, queryset, uphold, "hidden")

    @admin.action(description="Leave it as it is")
    def leave_it(self, request: HttpRequest, queryset: QuerySet[Complaint]) -> None:
        """No reason to hide anything."""
        do_each(self, request, queryset, lambda one: complaints.settle(one, upheld=False), "left as it is")
