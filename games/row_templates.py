"""Jinja2 for what a page has hundreds of: rows of matches, deals of a replay, changes of a rating.

All other templates are Django's. Its nodes are interpreted and take ten times as long as a compiled template, which is
most of what a page of many rows costs. The files lie in the folders ``jinja2`` of their packages; ``{% rows %}`` draws one
within a template of Django's. Everything is escaped, but what is marked safe.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.safestring import SafeString, mark_safe
from jinja2 import Environment, StrictUndefined

from games.drawn_cards import faces
from games.faces import minus, signed
from games.known_words import words
from games.reason_words import state_words
from games.rules_names import rules_name
from games.trick_rows import trick_rows


def environment(**options: Any) -> Environment:
    """The environment of these templates (settings.TEMPLATES)."""
    made = Environment(  # noqa: S701 - Django's backend asks for escaping in the options
        **{**options, "undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    )
    made.globals["url"] = _url
    made.filters |= {
        "changed": changed,
        "decimals": decimals,
        "faces": faces,
        "key": key,
        "minus": minus,
        "moment": moment,
        "rules_name": rules_name,
        "signed": signed,
        "state_words": state_words,
        "trick_rows": trick_rows,
    }
    return made


def rows(template: str, **values: Any) -> SafeString:
    """What ``template`` makes of ``values``; ``_`` and ``pgettext`` say a text in the active language."""
    gettext, pgettext = words()
    drawn = render_to_string(template, {**values, "_": gettext, "pgettext": pgettext}, using="jinja2")
    return mark_safe(drawn)  # noqa: S308 - the template has escaped what it was given


def decimals(value: float, places: int = 0) -> str:
    """A number with so many decimals, the decimal sign and the minus as the active language writes them."""
    sign = formats.get_format("DECIMAL_SEPARATOR")
    return minus(f"{round(value, places) or 0.0:.{places}f}".replace(".", str(sign)))


def changed(value: float, places: int = 0) -> str:
    """A change with its sign, as :func:`decimals` writes it; what shows as naught has none."""
    return ("+" if round(value, places) > 0 else "") + decimals(value, places)


def key(value: float | None) -> str:
    """A number to sort by (data-sort), the same in every language; what is not known sorts last."""
    return "" if value is None else f"{value:.6f}"


def moment(at: datetime) -> str:
    """A time to the minute: "2026-11-30 17:28"."""
    return f"{timezone.localtime(at):%Y-%m-%d %H:%M}"


def _url(name: str, *parts: object) -> str:
    return reverse(name, args=parts)
