"""Cursor pages."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request


class Cursor(CursorPagination):
    """Pages that go on from a cursor; a forged cursor is a 404, like a broken one."""

    page_size_query_param = "page_size"
    max_page_size = 200

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, ValidationError):
            raise NotFound("This cursor is not one of ours.") from None


class NewestFirst(Cursor):
    """Rows by their number, the newest first."""

    ordering = ("-pk",)
