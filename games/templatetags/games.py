"""How match pages look things up, and draw cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html, json_script
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext

from games.faces import Card, pack, signed
from games.replays import Played

register = template.Library()
register.filter("signed", signed)


@register.filter
def at(names: Sequence[str], index: int) -> str:
    """The name of a seat."""
    return names[index]


@register.filter
def face(card: Card) -> SafeString:
    """A card face: rank and coloured suit sign for eyes, words for screen readers."""
    return drawn(card.text)


@register.filter
def faces(cards: Iterable[Card]) -> SafeString:
    """A row of card faces."""
    inner = mark_safe("".join(face(card) for card in cards))  # noqa: S308 - each face is safe already
    return format_html('<span class="cards">{}</span>', inner)


@register.filter
def played_face(played: Played) -> SafeString:
    """A card as it was played: melded, taking the trick."""
    state = [word for word, holds in (("won", played.wins), ("meld", played.melds)) if holds]
    words = [gettext("melded")] if played.melds else []
    words += [gettext("takes the trick")] if played.wins else []
    return drawn(played.card.text, state=" ".join(state), words=", ".join(words))


@register.simple_tag
def card_pack() -> SafeString:
    """Letters and names of all cards in the reader's language, for ``cards.js``."""
    return json_script({"faces": pack(), "back": gettext("a card face down")}, "card-pack")


def drawn(text: str, *, size: str = "", state: str = "", words: str = "") -> SafeString:
    """``games/_card.html`` for a card in the protocol's text; a page shows hundreds of them, so each is drawn once."""
    return _drawn(get_language() or "en", text, size, state, words)


@lru_cache(maxsize=4096)
def _drawn(_language: str, text: str, size: str, state: str, words: str) -> SafeString:
    context = {"card": Card(text) if text else None, "size": size, "state": state, "words": words}
    return render_to_string("games/_card.html", context)


@register.filter
def unlocalized(value: float) -> str:
    """A coordinate: a point as decimal sign in every language."""
    return f"{value:.1f}"
