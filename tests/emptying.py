"""How the database is emptied after a test of real transactions: quickly, for hundreds of tests end so.

Django truncates every table and makes the rows of its own two anew. Here rows are deleted where there are any, and those
two tables stay as the migrations left them. Foreign keys are checked at the end of the transaction, whatever the order.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management.commands import flush
from django.db.backends.base.base import BaseDatabaseWrapper

KEPT = {"django_content_type", "auth_permission"}


def delete_what_is_there(style: Any, connection: BaseDatabaseWrapper, **options: Any) -> list[str]:
    """The statements that empty the database: one for each table that holds a row."""
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    quoted = {name: connection.ops.quote_name(name) for name in names if name not in KEPT}
    questions = [f"SELECT '{name}' WHERE EXISTS (SELECT FROM {table})" for name, table in quoted.items()]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(questions))
        return [f"DELETE FROM {quoted[name]}" for (name,) in cursor.fetchall()]


def empty_quickly(patched: pytest.MonkeyPatch) -> None:
    """Let ``flush`` work so as long as ``patched`` holds."""
    patched.setattr(flush, "sql_flush", delete_what_is_there)
    patched.setattr(flush, "emit_post_migrate_signal", lambda *_, **__: None)
