"""Rows for PostgreSQL's COPY: the fastest way in, for tools that write a million of them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.db import connection, models
from django.utils import timezone

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


class Lines:
    """Rows of one model, kept until :meth:`write`.

    ``fields`` differ from row to row; all others are those of ``model(**same)``, and a key that the database gives
    is left to it unless it is among ``fields`` (these are named as in a row: ``match_id``).
    """

    def __init__(self, model: type[models.Model], *fields: str, **same: Any) -> None:
        blank = model(**same)
        meta = model._meta  # noqa: SLF001 - Django documents it
        others = [
            field
            for field in meta.concrete_fields
            if field.attname not in fields and not isinstance(field, models.AutoField)
        ]
        by_name = {field.attname: field for field in meta.concrete_fields}
        varying = [by_name[name] for name in fields]
        names = ", ".join(f'"{field.column}"' for field in (*varying, *others))
        self._statement = f'COPY "{meta.db_table}" ({names}) FROM STDIN'
        self._tail = "".join(f"\t{_value_of(blank, field)}" for field in others)
        self._rows: list[str] = []

    def add(self, *values: object) -> None:
        """A row: one value for each of ``fields``, text that is escaped already or that needs no escape."""
        self._rows.append("\t".join(map(str, values)) + self._tail)

    def write(self) -> None:
        """Send what was added."""
        with connection.cursor() as cursor, cursor.copy(self._statement) as copy:
            for row in self._rows:
                copy.write(f"{row}\n")
        self._rows = []


def text(value: object) -> str:
    """A value as COPY reads it, escaped."""
    if value is None:
        return "\\N"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False).translate(_ESCAPES)
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value).translate(_ESCAPES)


def _value_of(row: models.Model, field: models.Field[Any, Any]) -> str:
    if getattr(field, "auto_now_add", False) or getattr(field, "auto_now", False):
        return text(timezone.now())
    return text(getattr(row, field.attname))
