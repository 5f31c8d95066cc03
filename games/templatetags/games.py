"""How match pages look things up, and draw cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from games.drawn_cards import drawn, face, faces
from games.faces import SUIT_WORDS, Card, minus, signed
from games.moments import ALL, Shown, Zone
from games.reason_words import outcome_words, reason_words, series_words, state_words
from games.row_templates import rows
from games.rules_names import preset_of, rules_name
from games.step_rows import SeatRow, Told
from games.table_words import count_cards, count_points

STATE_WORDS: Final = {
    "chosen": gettext_lazy("chosen"),
    "dimmed": gettext_lazy("may not be played"),
    "lead": gettext_lazy("leads"),
    "meld": gettext_lazy("melded"),
    "won": gettext_lazy("takes the trick"),
}
register = template.Library()
register.filter("signed", signed)
register.filter("minus", minus)
register.filter("face", face)
register.filter("faces", faces)
register.simple_tag(rows)


@register.filter
def at(names: Sequence[str], index: int) -> str:
    """The name of a seat."""
    return names[index]


@register.filter
def shown_face(shown: Shown, size: str) -> SafeString:
    """A card of a step, with its state also in words for screen readers."""
    states = shown.state.split()
    words = [str(STATE_WORDS[state]) for state in states if state in STATE_WORDS]
    return drawn(shown.card.text, size=size, state=shown.state, words=", ".join(words))


@register.filter
def open_to(zone: Zone | Told, view: str) -> bool:
    """Whether a replay's view sees what is in a zone."""
    return seen_in(zone.seen, view)


@register.filter
def seen_in(seen: Sequence[str], view: str) -> bool:
    """The same of a list of views."""
    return view == ALL or view in seen


@register.filter
def at_seat(rows: Sequence[SeatRow], seat: int) -> str:
    """The name of a seat of a step."""
    return rows[seat].name


@register.filter
def suit_word(card: Card) -> str:
    """The suit in the reader's language."""
    return str(SUIT_WORDS[card.text[1]])


register.filter("reason_words", reason_words)
register.filter("series_words", series_words)
register.filter("state_words", state_words)
register.filter("outcome_words", outcome_words)
register.filter("rules_name", rules_name)
register.filter("counted_cards", count_cards)
register.filter("counted_points", count_points)


@register.simple_tag
def rules_link(rules: Mapping[str, Any], kind: str, key: object) -> SafeString:
    """The name of the rules of a ``kind`` (match, season, tournament, event) with this ``key``, and where they stand.

    A preset leads to its page, changed rules to what differs from the preset that they come from.
    """
    preset = preset_of(rules)
    if preset:
        address = reverse("docs_rules_preset", args=[preset])
    else:
        address = f"{reverse('docs_rules_differences')}?{urlencode({kind: key})}"
    return format_html('<a href="{}">{}</a>', address, rules_name(rules))


@register.filter
def unlocalized(value: float) -> str:
    """A coordinate: a point as decimal sign in every language."""
    return f"{value:.1f}"
