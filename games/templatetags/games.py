"""How match pages look things up."""

from __future__ import annotations

from collections.abc import Sequence

from django import template

register = template.Library()


@register.filter
def at(names: Sequence[str], index: int) -> str:
    """The name of a seat."""
    return names[index]


@register.filter
def unlocalized(value: float) -> str:
    """A coordinate: a point as decimal sign in every language."""
    return f"{value:.1f}"
