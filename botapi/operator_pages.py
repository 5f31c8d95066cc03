"""What the operators' admin pages of all packages share: rows to look at, reasons, and verbs for many rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import Model, QuerySet
from django.forms import CharField
from django.http import HttpRequest

from botapi.errors import DomainError
from engine import EngineError

REASON_LENGTH: Final = 300

Row = TypeVar("Row", bound=Model)


class ReasonForm(ActionForm):
    """A reason beside the choice of an action."""

    reason = CharField(required=False, max_length=REASON_LENGTH, label="Reason (those concerned see it)")


class LookOnly(admin.ModelAdmin):  # type: ignore[type-arg] # no subscript at run time
    """Rows that only verbs write: nobody adds, edits or deletes them by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's signature
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's signature
        return False


class LookOnlyLines(admin.TabularInline):  # type: ignore[type-arg] # no subscript at run time
    """Rows that belong to the one shown, to look at."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's signature
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 - Django's signature
        return False


def reason_given(request: HttpRequest) -> str:
    """What the operator wrote beside the action; empty for nothing."""
    return request.POST.get("reason", "").strip()[:REASON_LENGTH]


def do_each(
    page: admin.ModelAdmin,  # type: ignore[type-arg] # no subscript at run time
    request: HttpRequest,
    chosen: QuerySet[Row],
    verb: Callable[[Row], object],
    done: str,
) -> None:
    """Do ``verb`` to each chosen row and say what came of it; a refusal of one leaves the others alone."""
    for row in chosen.order_by("pk"):
        try:
            verb(row)
        except (DomainError, EngineError) as refusal:
            page.message_user(request, f"{row}: {refusal}", messages.ERROR)
        else:
            page.message_user(request, f"{row}: {done}.", messages.SUCCESS)
