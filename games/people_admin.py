"""Operators' view of people at tables: who plays under which alias, and a way to hide one that must not be shown."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from botapi.operator_pages import LookOnly, do_each
from games import guests
from games.people_models import Person


@admin.register(Person)
class PersonAdmin(LookOnly):
    """People, guests among them; aliases are public in the practice list."""

    list_display = ["alias", "user", "created_at"]
    list_select_related = ["user"]
    search_fields = ["alias", "user__username"]
    date_hierarchy = "created_at"
    fields = ["alias", "user", "bot_ms", "trick_ms", "created_at"]
    actions = ["hide"]

    @admin.action(description="Hide the aliases of the selected people")
    def hide(self, request: HttpRequest, queryset: QuerySet[Person]) -> None:
        """They become words that say nothing, at past tables too."""
        do_each(self, request, queryset, guests.hide_alias, "hidden")
