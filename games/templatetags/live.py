"""What a page needs to update itself: ``{% live_note %}`` once, and ``data-live`` on the pieces that change."""

from __future__ import annotations

import time
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from games.live import LiveTable
from games.live_face import drawn
from games.stream_app import PATH

register = template.Library()


@register.inclusion_tag("games/live/_note.html")
def live_note(shape: str = "") -> dict[str, Any]:
    """The line that says whether the page updates itself, with its script; ``shape``: as what tables are pushed.

    What changed while the page was made is sent: streams allow for more than that (games.stream_hub).
    """
    return {"stream": PATH, "shape": shape, "made": time.time_ns() // 1000}


@register.simple_tag
def live_piece(shape: str, table: LiveTable) -> SafeString:
    """A live table as a ``card`` or as the ``table`` itself."""
    return mark_safe(drawn(shape, table.match.pk, table.state))  # noqa: S308 - a template wrote it
