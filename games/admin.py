"""Operators' view of matches, workers, series. Nothing is edited by hand; actions call the queue's verbs."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from botapi.operator_pages import LookOnly, LookOnlyLines, ReasonForm, do_each, reason_given
from games import complaint_admin, people_admin, results
from games.models import Fault, LogLook, Match, MatchAttempt, Seat, Series, Worker

assert complaint_admin
assert people_admin

BY_OPERATOR = "by an operator"
SERIES = ("name", "kind", "next_number", "secret_sha256", "created_at", "closed_at", "revealed_at")
WORKER = ("name", "queue", "backend", "healthy", "message", "seen_at")
LOOK = ("at", "user", "match_number", "seat")


class SeatLines(LookOnlyLines):
    """Who sat where, and what came of it."""

    model = Seat
    fields = [
        *("index", "name", "version", "total", "rank", "place"),
        *("stood_in", "faults", "deals_declared", "deals_made"),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        return super().get_queryset(request).select_related("version__bot")


class AttemptLines(LookOnlyLines):
    """Every attempt with its cause; the journal and the seed are not shown."""

    model = MatchAttempt
    readonly_fields = [
        "number",
        "worker",
        "outcome",
        "cause",
        "deal",
        "seed_sha256",
        "started_at",
        "ended_at",
    ]
    fields = [*readonly_fields]


class FaultLines(LookOnlyLines):
    """The bots' faults."""

    model = Fault
    readonly_fields = ["attempt", "seat", "code", "detail", "deal", "action", "created_at"]
    fields = [*readonly_fields]


@admin.register(Match)
class MatchAdmin(LookOnly):
    """Matches: repeated or declared void by actions."""

    list_display = [
        *("id", "state", "klass", "rated", "series", "number", "rules_name"),
        *("players_shown", "attempt", "worker", "reason", "created_at", "finished_at"),
    ]
    list_filter = [
        *("state", "klass", "rated", "waiting", "rules_name"),
        ("series", admin.RelatedOnlyFieldListFilter),
        "created_at",
    ]
    search_fields = ["=id", "seats__name", "series__name", "reason", "worker"]
    date_hierarchy = "created_at"
    list_per_page = 50
    show_full_result_count = False
    inlines = [SeatLines, AttemptLines, FaultLines]
    action_form = ReasonForm
    actions = ["repeat", "void"]
    fields = [
        *("series", "number", "klass", "rated", "rules_name", "rules_hash", "players", "clocks", "block"),
        *("rotation", "waiting", "requested_by", "state", "reason", "attempt", "worker", "lease_until"),
        *("not_before", "woken_at", "created_at", "started_at", "finished_at", "finish_seq", "deals"),
        *("decisions", "seconds", "end_reason"),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        return super().get_queryset(request).select_related("series").prefetch_related("seats")

    @admin.display(description="seats")
    def players_shown(self, match: Match) -> str:
        """The names in table order, with places."""
        return ", ".join(
            seat.name if seat.place is None else f"{seat.name} ({seat.place})" for seat in match.seats.all()
        )

    @admin.action(description="Repeat the selected matches", permissions=["operate"])
    def repeat(self, request: HttpRequest, queryset: QuerySet[Match]) -> None:
        """A running one loses its attempt, one that ended is void and replaced."""
        reason = reason_given(request) or BY_OPERATOR
        do_each(
            self, request, queryset, lambda match: results.repeat(match, reason=reason), "will be repeated"
        )

    @admin.action(description="Declare the selected matches void", permissions=["operate"])
    def void(self, request: HttpRequest, queryset: QuerySet[Match]) -> None:
        """Not played, or not rated any more."""
        reason = reason_given(request) or BY_OPERATOR
        do_each(self, request, queryset, lambda match: results.void(match, reason=reason), "void")

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Actions need the right to change matches although no field can be edited."""
        return bool(getattr(request.user, "has_perm", lambda _: False)("games.change_match"))


@admin.register(Series)
class SeriesAdmin(LookOnly):
    """Series and their committed hashes; a secret is shown nowhere here."""

    fields = SERIES
    list_display = SERIES
    list_filter = ["kind"]
    search_fields = ["name", "secret_sha256"]


@admin.register(Worker)
class WorkerAdmin(LookOnly):
    """Workers as they last told of themselves."""

    fields = WORKER
    list_display = WORKER
    list_filter = ["healthy", "queue", "backend"]
    search_fields = ["name", "message"]


@admin.register(LogLook)
class LogLookAdmin(LookOnly):
    """Which operator looked into which private log, and when."""

    fields = LOOK
    list_display = LOOK
    list_select_related = ["user", "log"]
    search_fields = ["user__username", "=log__match__id"]
    date_hierarchy = "at"

    @admin.display(description="match", ordering="log__match")
    def match_number(self, look: LogLook) -> int:
        """Whose match."""
        return look.log.match_id

    @admin.display(ordering="log__seat")
    def seat(self, look: LogLook) -> int:
        """Which seat."""
        return look.log.seat
