"""The ladder in the admin site: seasons are made, opened, closed; the rating log is only looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from botapi.errors import DomainError
from botapi.operator_pages import LookOnly, do_each
from engine import PRESETS, EngineError, RuleSet
from ladder import dated_admin, matchmaking, open_log, pair_flags, rating_log, timetable, tournament_admin
from ladder import seasons as season_verbs
from ladder.events import admin as event_admin
from ladder.models import PairFlag, Pool, Rating, RatingEvent, RatingPoint, Season, UnratedMatch
from ladder.tournament_shapes import ClocksSerializer

assert dated_admin
assert event_admin
assert tournament_admin  # both imported for the admin site, which collects its pages as they are imported


class SeasonForm(forms.ModelForm):  # type: ignore[type-arg]
    """A season; its rules come from a preset or are given in full."""

    preset = forms.ChoiceField(required=False, help_text="fills in rules, if they are left empty")
    rules = forms.JSONField(required=False, help_text="record form: name, base, every option")
    clocks = forms.JSONField(required=False, help_text="by kind of bot; empty: those of the protocol")

    class Meta:
        """Fields that are not set by verbs."""

        model = Season
        fields = [
            *("slug", "name", "preset", "rules", "clocks", "duplicate", "queue_target"),
            *("timetable", "opens_at", "closes_at"),
        ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "preset" in self.fields:
            self.fields["preset"] = forms.ChoiceField(
                required=False, choices=[("", "-"), *((name, name) for name in PRESETS)]
            )

    def clean(self) -> dict[str, Any]:
        data = dict(super().clean() or {})
        if data.get("timetable"):
            self._check("timetable", lambda: timetable.check(data["timetable"]))
        if "closes_at" in self.fields:
            opening = data.get("opens_at")
            self._check("closes_at", lambda: season_verbs.check_dates(opening, data.get("closes_at")))
        if "rules" not in self.fields:
            return data
        try:
            ruleset = (
                PRESETS[data["preset"]] if data.get("preset") else RuleSet.from_json(data.get("rules") or {})
            )
        except (EngineError, KeyError, TypeError, ValueError) as error:
            self.add_error("rules", f"Choose a preset or give possible rules: {error}")
            return data
        data["rules"] = ruleset.to_json()
        data["clocks"] = data.get("clocks") or season_verbs.default_clocks()
        clocks = ClocksSerializer(data=data["clocks"])
        if not clocks.is_valid():
            self.add_error("clocks", str(clocks.errors))
        self.instance.players = ruleset.players
        return data

    def _check(self, field: str, check: Callable[[], None]) -> None:
        try:
            check()
        except DomainError as error:
            self.add_error(field, str(error))


@admin.register(Season)
class SeasonAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Seasons with the verbs that open and close them; rules are fixed once a season is open."""

    form = SeasonForm
    list_display = [
        *("name", "slug", "state", "rules_name", "players", "queue_target", "timetable"),
        *("opens_at", "closes_at"),
    ]
    list_filter = ["state", "players", "duplicate"]
    search_fields = ["name", "slug"]
    readonly_fields = ["state", "round_at", "secret_sha256"]
    actions = ["open_seasons", "close_seasons", "queue_now"]

    @admin.display(description="rules")
    def rules_name(self, season: Season) -> str:
        return str(season.rules.get("name", ""))

    @admin.display(description="SHA-256 of the secret")
    def secret_sha256(self, season: Season) -> str:
        return season.series.secret_sha256 if season.series else "-"

    def get_readonly_fields(self, _request: HttpRequest, obj: Model | None = None) -> list[str]:
        fixed = list(self.readonly_fields)
        if isinstance(obj, Season) and obj.state != Season.State.DRAFT:
            fixed += ["slug", "rules", "clocks", "duplicate", "opens_at"]
            if obj.state == Season.State.CLOSED:
                fixed += ["closes_at", "timetable", "queue_target"]
        return fixed

    def get_fields(self, _request: HttpRequest, obj: Model | None = None) -> Any:
        fields = [
            "name",
            "slug",
            "preset",
            "rules",
            "clocks",
            "duplicate",
            "queue_target",
            "timetable",
            "opens_at",
            "closes_at",
            *self.readonly_fields,
        ]
        if isinstance(obj, Season) and obj.state != Season.State.DRAFT:
            fields.remove("preset")
        return fields

    def save_model(self, request: HttpRequest, obj: Season, form: forms.ModelForm[Any], change: bool) -> None:
        """Beat may open or close it, or queue a round, at any moment: only what was edited is written."""
        if change and obj.state != Season.State.DRAFT:
            obj.save(update_fields=set(form.changed_data) - {"preset"})
        else:
            super().save_model(request, obj, form, change)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        opened = isinstance(obj, Season) and obj.state != Season.State.DRAFT
        return not opened and super().has_delete_permission(request, obj)

    @admin.action(description="Open (commits the secret)", permissions=["change"])
    def open_seasons(self, request: HttpRequest, chosen: QuerySet[Season]) -> None:
        do_each(self, request, chosen, season_verbs.open_season, "opened")

    @admin.action(description="Close", permissions=["change"])
    def close_seasons(self, request: HttpRequest, chosen: QuerySet[Season]) -> None:
        do_each(self, request, chosen, season_verbs.close_season, "closed")

    @admin.action(description="Queue matches now", permissions=["change"])
    def queue_now(self, request: HttpRequest, chosen: QuerySet[Season]) -> None:
        do_each(self, request, chosen, matchmaking.schedule, "filled")


@admin.register(Pool)
class PoolAdmin(LookOnly):
    """Pools with the heads of their logs."""

    list_display = ["id", "season", "players", "last_seq", "head"]
    list_filter = ["season"]
    actions = ["rate_now"]

    @admin.display(description="head")
    def head(self, pool: Pool) -> str:
        return pool.last_sha256[:12]

    @admin.action(description="Rate finished matches now")
    def rate_now(self, request: HttpRequest, chosen: QuerySet[Pool]) -> None:
        do_each(self, request, chosen, rating_log.rate_finished, "rated")


@admin.register(Rating)
class RatingAdmin(LookOnly):
    """Live ratings."""

    list_display = ["version", "pool", "r", "deviation", "n", "places", "faults", "updated_seq"]
    list_filter = ["pool__season", "version__bot__kind"]
    list_select_related = ["version__bot", "pool"]
    search_fields = ["version__bot__name"]
    ordering = ["-r"]

    @admin.display(description="sd", ordering="v")
    def deviation(self, row: Rating) -> str:
        return f"{open_log.state_of(row).sd:.1f}"


@admin.register(RatingEvent)
class RatingEventAdmin(LookOnly):
    """The log; a match's rating can be withdrawn, which appends to it."""

    list_display = ["seq", "pool", "kind", "match", "short_hash", "created_at"]
    list_filter = ["kind", "pool__season"]
    list_select_related = ["pool", "match"]
    search_fields = ["=match__id"]
    ordering = ["-id"]
    show_full_result_count = False
    actions = ["void"]

    def has_void_permission(self, request: HttpRequest) -> bool:
        """Who may change ratings in general may withdraw one."""
        return request.user.has_perm("ladder.change_ratingevent")

    @admin.display(description="sha256")
    def short_hash(self, event: RatingEvent) -> str:
        return event.sha256[:12]

    @admin.action(description="Withdraw the rating of these matches", permissions=["void"])
    def void(self, request: HttpRequest, chosen: QuerySet[RatingEvent]) -> None:
        reason = f"withdrawn by {request.user.get_username()}"
        do_each(self, request, chosen, lambda event: rating_log.void_rating(event, reason), "withdrawn")


@admin.register(UnratedMatch)
class UnratedMatchAdmin(LookOnly):
    """Matches that could not be rated; the action lets the ladder try again."""

    list_display = ["match", "pool", "reason", "created_at"]
    list_filter = ["pool__season"]
    list_select_related = ["pool", "match"]
    search_fields = ["=match__id", "reason"]
    actions = ["try_again"]

    def has_try_permission(self, request: HttpRequest) -> bool:
        """Who may change ratings in general may have one tried again."""
        return request.user.has_perm("ladder.change_ratingevent")

    @admin.action(description="Try to rate these matches again", permissions=["try"])
    def try_again(self, request: HttpRequest, chosen: QuerySet[UnratedMatch]) -> None:
        """The note is deleted with it; of those that still cannot be rated it stays."""
        do_each(self, request, chosen, rating_log.try_again, "tried again")


@admin.register(RatingPoint)
class RatingPointAdmin(LookOnly):
    """States after each event."""

    list_display = ["event", "version", "r", "v", "n", "at"]
    list_select_related = ["event", "version__bot"]
    search_fields = ["version__bot__name"]
    ordering = ["-id"]
    show_full_result_count = False


@admin.register(PairFlag)
class PairFlagAdmin(LookOnly):
    """Pairs of bots to look at: a large z says that one helps, a large negative one that it harms."""

    list_display = ["helper", "helped", "z", "joint", "surplus", "pool", "found_at", "seen_at", "cleared_at"]
    list_filter = [("cleared_at", admin.EmptyFieldListFilter), "pool__season"]
    list_select_related = ["helper", "helped", "pool__season"]
    search_fields = ["helper__name", "helped__name"]
    actions = ["clear"]

    def has_clear_permission(self, request: HttpRequest) -> bool:
        """Who may change flags in general may clear one."""
        return request.user.has_perm("ladder.change_pairflag")

    @admin.action(description="Looked at: let it be", permissions=["clear"])
    def clear(self, request: HttpRequest, chosen: QuerySet[PairFlag]) -> None:
        do_each(self, request, chosen, pair_flags.clear, "cleared")
