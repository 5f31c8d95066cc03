"""The calendar in the admin site: a match is planned by a form, moved by its date, cancelled by an action."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from botapi.errors import DomainError
from botapi.models import User
from botapi.operator_pages import LookOnly, ReasonForm, do_each, reason_given
from engine import PRESETS
from ladder import dated
from ladder.models import DatedMatch


class DatedMatchForm(forms.ModelForm):  # type: ignore[type-arg] # no subscript at run time
    """Name, date, rules and seats of a match to be planned."""

    preset = forms.ChoiceField(choices=[(name, name) for name in PRESETS], label="Rules")
    bots = forms.CharField(help_text="names in table order, with commas between them")

    class Meta:
        """Fields that its match does not hold."""

        model = DatedMatch
        fields = ["name", "at", "preset", "bots"]

    def clean_at(self) -> Any:
        """A time to come."""
        at = self.cleaned_data["at"]
        try:
            dated.check_date(at)
        except DomainError as error:
            raise forms.ValidationError(str(error)) from error
        return at

    def clean(self) -> dict[str, Any]:
        data = dict(super().clean() or {})
        if "preset" in data and "bots" in data:
            data["bots"] = [name.strip() for name in data["bots"].split(",") if name.strip()]
            try:
                dated.seated(data["bots"], PRESETS[data["preset"]])
            except DomainError as error:
                self.add_error("bots", str(error))
        return data


class NewDateForm(forms.ModelForm):  # type: ignore[type-arg] # no subscript at run time
    """The date of a match that has not begun."""

    class Meta:
        """What can be changed."""

        model = DatedMatch
        fields = ["at"]

    clean_at = DatedMatchForm.clean_at


@admin.register(DatedMatch)
class DatedMatchAdmin(LookOnly):
    """The calendar."""

    form = DatedMatchForm
    fields = ["name", "at", "preset", "bots"]
    list_display = ["name", "at", "match", "rules", "state", "planned_by", "created_at"]
    list_select_related = ["match", "planned_by"]
    search_fields = ["name", "=match__id"]
    date_hierarchy = "at"
    ordering = ["-at"]
    action_form = ReasonForm
    actions = ["cancel"]

    def get_fields(self, _request: HttpRequest, obj: Model | None = None) -> Any:
        return ["name", "at", "match", "planned_by"] if obj else self.fields

    def get_readonly_fields(self, _request: HttpRequest, obj: Model | None = None) -> list[str]:
        return ["name", "match", "planned_by"] if obj else []

    def get_form(
        self, request: HttpRequest, obj: Model | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """Of one that is planned only the date can be changed."""
        return super().get_form(request, obj, change, **kwargs | ({"form": NewDateForm} if obj else {}))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ladder.add_datedmatch")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Who may plan may move what has not begun."""
        return request.user.has_perm("ladder.add_datedmatch") and (obj is None or dated.is_to_come(obj))

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        """Who may plan may cancel."""
        return request.user.has_perm("ladder.add_datedmatch")

    @admin.display(description="rules")
    def rules(self, row: DatedMatch) -> str:
        return row.match.rules_name

    @admin.display(description="state")
    def state(self, row: DatedMatch) -> str:
        return row.match.get_state_display()

    def save_model(self, request: HttpRequest, obj: DatedMatch, form: DatedMatchForm, change: bool) -> None:
        """Plan the match; ``obj`` becomes the row that was made. Or move it."""
        given = form.cleaned_data
        if change:
            try:
                dated.move_match(obj, at=given["at"])
            except DomainError as refusal:  # it began while the page was open
                self.message_user(request, str(refusal), messages.ERROR)
            return
        by = request.user if isinstance(request.user, User) else None
        made = dated.plan_match(
            given["name"], at=given["at"], ruleset=PRESETS[given["preset"]], bots=given["bots"], by=by
        )
        obj.pk, obj.match, obj.planned_by = made.pk, made.match, made.planned_by

    @admin.action(description="Cancel the selected matches", permissions=["cancel"])
    def cancel(self, request: HttpRequest, chosen: QuerySet[DatedMatch]) -> None:
        reason = reason_given(request)
        do_each(self, request, chosen, lambda row: dated.cancel_match(row, reason=reason), "cancelled")
