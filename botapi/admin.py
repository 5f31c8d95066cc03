"""Operators' view of people, bots, versions and tokens. Actions call the same verbs as pages and API do."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest

from botapi import bots
from botapi.models import Bot, TokenScope, User, Version
from botapi.operator_pages import LookOnly, LookOnlyLines, ReasonForm, do_each, reason_given


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg] # no subscript at run time
    """People with accounts."""

    list_display = [
        "username",
        "email",
        "email_verified_at",
        "is_organiser",
        "is_staff",
        "is_active",
        "date_joined",
    ]
    list_filter = ["is_staff", "is_organiser", "is_active", ("email_verified_at", admin.EmptyFieldListFilter)]
    fieldsets = (
        *(UserAdmin.fieldsets or ()),
        ("Ladder", {"fields": ("email_verified_at", "is_organiser", "language")}),
    )
    add_fieldsets = ((None, {"fields": ("username", "email", "usable_password", "password1", "password2")}),)


class VersionLines(LookOnlyLines):
    """The versions of a bot, to look at."""

    model = Version
    fields = ["number", "state", "check_code", "label", "sha256", "url", "created_at", "checked_at"]
    readonly_fields = ["number", "state", "check_code", "label", "sha256", "url", "created_at", "checked_at"]
    show_change_link = True
    ordering = ["-number"]


@admin.register(Bot)
class BotAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # no subscript at run time
    """Bots: their state is changed by actions only."""

    list_display = [
        "name",
        "kind",
        "owner",
        "state",
        "state_reason",
        "active_version",
        "unsigned",
        "created_at",
    ]
    list_filter = ["state", "kind", "suspended_for", "unsigned", "notes_hidden"]
    list_select_related = ["owner", "active_version__bot"]
    search_fields = ["name", "owner__username", "owner__email"]
    readonly_fields = [
        "name",
        "kind",
        "owner",
        "house",
        "state",
        "state_reason",
        "suspended_for",
        "forfeits_from",
        "active_version",
        "unsigned",
        "created_at",
    ]
    inlines = [VersionLines]
    action_form = ReasonForm
    actions = ["pause", "resume", "suspend", "lift"]

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's signature
        return False

    @admin.action(description="Pause the selected bots")
    def pause(self, request: HttpRequest, queryset: QuerySet[Bot]) -> None:
        """No new matches until resumed."""
        reason = reason_given(request) or bots.BY_OPERATOR
        do_each(self, request, queryset, lambda bot: bots.pause_bot(bot, reason=reason), "paused")

    @admin.action(description="Resume the selected paused bots")
    def resume(self, request: HttpRequest, queryset: QuerySet[Bot]) -> None:
        """Matches again."""
        do_each(self, request, queryset, bots.resume_bot, "resumed")

    @admin.action(description="Suspend the selected bots (with a reason)")
    def suspend(self, request: HttpRequest, queryset: QuerySet[Bot]) -> None:
        """Only an operator lifts it."""
        reason = reason_given(request)
        if not reason:
            self.message_user(request, "Give a reason: the author is told.", messages.ERROR)
            return
        cause = Bot.Suspension.OPERATOR
        do_each(
            self,
            request,
            queryset,
            lambda bot: bots.suspend_bot(bot, cause=cause, reason=reason),
            "suspended",
        )

    @admin.action(description="Lift the suspension of the selected bots")
    def lift(self, request: HttpRequest, queryset: QuerySet[Bot]) -> None:
        """Active again; earlier forfeits no longer count."""
        do_each(self, request, queryset, bots.lift_suspension, "active again")


@admin.register(Version)
class VersionAdmin(LookOnly):
    """Versions are immutable. What was said in a check stands in its match's private log, where looks are noted."""

    list_display = ["bot", "number", "state", "check_code", "label", "created_at", "checked_at"]
    list_filter = ["state", "bot__kind", "check_code"]
    list_select_related = ["bot"]
    search_fields = ["bot__name", "bot__owner__username", "sha256", "url"]
    date_hierarchy = "created_at"
    fields = [
        "bot",
        "number",
        "state",
        "check_code",
        "label",
        "created_at",
        "checked_at",
        "sha256",
        "url",
    ]


@admin.register(TokenScope)
class TokenAdmin(LookOnly):
    """Tokens by name and scope; deleting one here revokes it."""

    list_display = ["name", "owner", "scopes", "made"]
    search_fields = ["name", "token__user__username"]
    list_select_related = ["token__user"]
    fields = ["name", "owner", "scopes", "made"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    @admin.display(ordering="token__user__username")
    def owner(self, scope: TokenScope) -> str:
        """Whose it is."""
        return str(scope.token.user.username)

    @admin.display(ordering="token__created")
    def made(self, scope: TokenScope) -> Any:
        """When."""
        return scope.token.created

    def delete_model(self, request: HttpRequest, obj: TokenScope) -> None:  # noqa: ARG002 - Django's signature
        obj.token.delete()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[TokenScope]) -> None:  # noqa: ARG002
        for scope in queryset.select_related("token"):
            scope.token.delete()
