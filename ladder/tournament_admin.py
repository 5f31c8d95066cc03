"""Tournaments in the admin site: made, opened, started, run, published; what verbs write is only looked at."""

from __future__ import annotations

import copy
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.forms import CharField
from django.http import HttpRequest
from django.utils.translation import gettext

from botapi.errors import DomainError
from botapi.models import Bot
from botapi.operator_pages import LookOnly, LookOnlyLines, ReasonForm, do_each, reason_given
from engine import PRESETS
from ladder import registration, tournaments
from ladder.seasons import default_clocks
from ladder.tournament_models import Entrant, Rest, Round, Table, TableSeat, Tournament, TournamentMatch
from ladder.tournament_shapes import ClocksSerializer

ALWAYS: Final = ("name", "notes", "objection_hours")
UNTIL_THE_START: Final = (
    *("registration_opens_at", "registration_closes_at", "starts_at", "pace_minutes"),
    *("per_author", "min_entrants", "max_entrants"),
)
IN_DRAFT: Final = (
    *("slug", "preset", "rules", "other_rules", "clocks", "format", "cycles", "rounds", "groups", "quota"),
    *("final_cycles", "rotations", "duplicate", "repeats"),
)
BY_OPERATOR: Final = "by an operator"
Phase = Tournament.Phase


class TournamentForm(forms.ModelForm):  # type: ignore[type-arg] # no subscript at run time
    """A tournament; its rules come from a preset or are given in full."""

    preset = forms.ChoiceField(
        required=False, choices=[("", "-"), *((name, name) for name in PRESETS)], help_text="or give rules"
    )
    rules = forms.JSONField(required=False, help_text="record form; left empty for a preset")
    other_rules = forms.JSONField(
        required=False, help_text='for tables of other sizes: a list of presets or rules, as ["pl-2"]'
    )
    clocks = forms.JSONField(required=False, help_text="by kind of bot; empty: those of the protocol")

    class Meta:
        """Fields that are not set by verbs."""

        model = Tournament
        fields = [*ALWAYS, *UNTIL_THE_START, *(name for name in IN_DRAFT if name != "preset")]

    def clean(self) -> dict[str, Any]:
        data = dict(super().clean() or {})
        if "rules" in self.fields:
            self._read_rules(data)
        if not self.errors:
            wished = copy.copy(self.instance)
            for name, value in data.items():
                setattr(wished, name, value)
            problem = tournaments.why_impossible(wished)
            if problem:
                raise forms.ValidationError(problem)
        return data

    def _read_rules(self, data: dict[str, Any]) -> None:
        """Rules and clocks as the model keeps them; an error beside the field that is wrong."""
        try:
            rules = tournaments.read_rules(data.get("preset") or data.get("rules") or "")
            others = [tournaments.read_rules(each) for each in data.get("other_rules") or []]
        except DomainError as refusal:
            self.add_error("rules", refusal.message)
            return
        data["rules"], data["other_rules"] = rules.to_json(), [each.to_json() for each in others]
        self.instance.players = rules.players
        data["clocks"] = data.get("clocks") or default_clocks()
        clocks = ClocksSerializer(data=data["clocks"])
        if not clocks.is_valid():
            self.add_error("clocks", str(clocks.errors))


class TournamentActions(ReasonForm):
    """A reason, or the name of a bot, beside the choice of an action."""

    bot = CharField(required=False, max_length=40, label="Bot to enter")


class EntrantLines(LookOnlyLines):
    """Who is or was in."""

    model = Entrant
    fields = ["number", "bot", "version", "group", "state", "reason", "entered_at", "left_at"]
    readonly_fields = ["entered_at"]
    show_change_link = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        return super().get_queryset(request).select_related("bot", "version__bot")


@admin.register(Tournament)
class TournamentAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # no subscript at run time
    """Tournaments with the verbs that run them; what decides matches is fixed when registration opens."""

    form = TournamentForm
    list_display = ["name", "slug", "phase", "format", "rules_name", "players", "starts_at", "published_at"]
    list_filter = ["phase", "format", "players"]
    search_fields = ["name", "slug"]
    readonly_fields = [
        *("phase", "phase_reason", "started_at", "finished_at", "published_at", "lot", "secret_sha256")
    ]
    inlines = [EntrantLines]
    action_form = TournamentActions
    actions = ["open_registration", "enter_bot", "start", "move_on", "publish", "cancel"]

    @admin.display(description="rules")
    def rules_name(self, tournament: Tournament) -> str:
        return str(tournament.rules.get("name", ""))

    @admin.display(description="SHA-256 of the secret")
    def secret_sha256(self, tournament: Tournament) -> str:
        return tournament.series.secret_sha256 if tournament.series else "-"

    def get_fields(self, _request: HttpRequest, obj: Model | None = None) -> Any:
        drafted = [name for name in IN_DRAFT if name != "preset" or not _past_draft(obj)]
        return ["name", *drafted, *UNTIL_THE_START, "objection_hours", "notes", *self.readonly_fields]

    def get_readonly_fields(self, _request: HttpRequest, obj: Model | None = None) -> list[str]:
        fixed = list(self.readonly_fields)
        if _past_draft(obj):
            fixed += [name for name in IN_DRAFT if name != "preset"]
        if isinstance(obj, Tournament) and obj.phase not in (Phase.DRAFT, Phase.REGISTRATION):
            fixed += UNTIL_THE_START
        return fixed

    def save_model(
        self, request: HttpRequest, obj: Tournament, form: forms.ModelForm[Any], change: bool
    ) -> None:
        """Beat may take a public one to its next phase at any moment: only what was edited is written."""
        if change and _past_draft(obj):
            edited = set(form.changed_data) & {*ALWAYS, *UNTIL_THE_START}
            obj.save(update_fields=edited)
        else:
            super().save_model(request, obj, form, change)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return not _past_draft(obj) and super().has_delete_permission(request, obj)

    @admin.action(description="Open the registration (commits the secret)", permissions=["change"])
    def open_registration(self, request: HttpRequest, chosen: QuerySet[Tournament]) -> None:
        do_each(self, request, chosen, tournaments.open_registration, "open for registration")

    @admin.action(description="Enter the bot named here", permissions=["change"])
    def enter_bot(self, request: HttpRequest, chosen: QuerySet[Tournament]) -> None:
        name = request.POST.get("bot", "").strip()
        bot = Bot.objects.select_related("active_version", "owner").filter(name=name).first()

        def enter(tournament: Tournament) -> None:
            if bot is None:
                raise DomainError(
                    "unknown_bot", gettext("There is no bot called “%(name)s”.") % {"name": name}, 404
                )
            registration.enter(tournament, bot)

        do_each(self, request, chosen, enter, f"{name} is entered")

    @admin.action(description="Start now", permissions=["change"])
    def start(self, request: HttpRequest, chosen: QuerySet[Tournament]) -> None:
        do_each(self, request, chosen, tournaments.start, "started")

    @admin.action(description="Move on now, without waiting for the next beat", permissions=["change"])
    def move_on(self, request: HttpRequest, chosen: QuerySet[Tournament]) -> None:
        do_each(self, request, chosen, tournaments.advance, "moved on")

    @admin.action(description="Publish the result", permissions=["change"])
    def publish(self, request: HttpRequest, chosen: QuerySet[Tournament]) -> None:
        do_each(self, request, chosen, tournaments.publish, "published")

    @admin.action(description="Cancel (with a reason)", permissions=["change"])
    def cancel(self, request: HttpRequest, chosen: QuerySet[Tournament]) -> None:
        reason = reason_given(request) or BY_OPERATOR
        do_each(self, request, chosen, lambda one: tournaments.cancel(one, reason=reason), "cancelled")


@admin.register(Entrant)
class EntrantAdmin(LookOnly):
    """Entrants: excluded with a reason."""

    list_display = ["bot", "tournament", "number", "version", "group", "state", "reason", "entered_at"]
    list_filter = ["state", "tournament"]
    list_select_related = ["bot", "tournament", "version__bot"]
    search_fields = ["bot__name", "tournament__slug"]
    action_form = ReasonForm
    actions = ["take_out"]

    def has_exclude_permission(self, request: HttpRequest) -> bool:
        """Who may change tournaments may exclude."""
        return request.user.has_perm("ladder.change_tournament")

    @admin.action(description="Exclude (with a reason)", permissions=["exclude"])
    def take_out(self, request: HttpRequest, chosen: QuerySet[Entrant]) -> None:
        reason = reason_given(request) or BY_OPERATOR
        do_each(self, request, chosen, lambda one: registration.exclude(one, reason=reason), "excluded")


class TableLines(LookOnlyLines):
    """Tables of a round."""

    model = Table
    fields = ["number"]
    show_change_link = True


class RestLines(LookOnlyLines):
    """Byes and absences of a round."""

    model = Rest
    fields = ["entrant", "absent", "reason"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        return super().get_queryset(request).select_related("entrant__bot")


@admin.register(Round)
class RoundAdmin(LookOnly):
    """Rounds with their tables."""

    list_display = ["tournament", "number", "stage", "state", "starts_at", "started_at", "finished_at"]
    list_filter = ["state", "stage", "tournament"]
    list_select_related = ["tournament"]
    search_fields = ["tournament__slug"]
    ordering = ["-id"]
    inlines = [TableLines, RestLines]


class TableSeatLines(LookOnlyLines):
    """Who sits at a table."""

    model = TableSeat
    fields = ["index", "entrant", "lost"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        return super().get_queryset(request).select_related("entrant__bot")


@admin.register(Table)
class TableAdmin(LookOnly):
    """Tables with their seats."""

    list_display = ["round", "number"]
    list_select_related = ["round"]
    search_fields = ["round__tournament__slug"]
    ordering = ["-id"]
    inlines = [TableSeatLines]


@admin.register(TournamentMatch)
class TournamentMatchAdmin(LookOnly):
    """Matches of tournaments: declared void, with another in their place or without."""

    list_display = ["match", "tournament", "round", "table", "rotation", "state", "replaced", "given_up"]
    list_filter = ["table__round__tournament", "match__state", "replaced", "given_up"]
    list_select_related = ["match", "table__round__tournament"]
    search_fields = ["=match__id", "match__seats__name"]
    ordering = ["-id"]
    action_form = ReasonForm
    actions = ["void", "void_and_repeat"]

    def has_void_permission(self, request: HttpRequest) -> bool:
        """Who may change tournaments may declare their matches void."""
        return request.user.has_perm("ladder.change_tournament")

    @admin.display(ordering="table__round__tournament")
    def tournament(self, link: TournamentMatch) -> str:
        """Of which tournament."""
        return link.table.round.tournament.name

    @admin.display(ordering="table__round__number")
    def round(self, link: TournamentMatch) -> int:
        """In which round."""
        return link.table.round.number

    @admin.display(ordering="match__state")
    def state(self, link: TournamentMatch) -> str:
        """Of the match."""
        return link.match.get_state_display()

    @admin.action(description="Declare void", permissions=["void"])
    def void(self, request: HttpRequest, chosen: QuerySet[TournamentMatch]) -> None:
        reason = reason_given(request) or BY_OPERATOR
        do_each(self, request, chosen, lambda link: tournaments.void_match(link, reason=reason), "is void")

    @admin.action(description="Declare void and play again", permissions=["void"])
    def void_and_repeat(self, request: HttpRequest, chosen: QuerySet[TournamentMatch]) -> None:
        reason = reason_given(request) or BY_OPERATOR

        def again(link: TournamentMatch) -> None:
            tournaments.void_match(link, reason=reason, again=True)

        do_each(self, request, chosen, again, "is played again")


def _past_draft(obj: Model | None) -> bool:
    return isinstance(obj, Tournament) and obj.phase != Phase.DRAFT
