"""Cursor pages."""

from __future__ import annotations

from rest_framework.pagination import CursorPagination


class NewestFirst(CursorPagination):
    """Rows by their number, the newest first; ``page_size`` up to 200."""

    ordering = ("-pk",)
    page_size_query_param = "page_size"
    max_page_size = 200
