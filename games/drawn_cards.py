"""Cards as pages show them, each drawn once a process and language by ``games/_card.html``: a page has hundreds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext

from games.faces import Card


def drawn(text: str, *, size: str = "", state: str = "", words: str = "") -> SafeString:
    """The card of the protocol's text, or one face down for none; see the template for the rest."""
    return _drawn(get_language() or "en", text, size, state, words)


@lru_cache(maxsize=4096)
def _drawn(_language: str, text: str, size: str, state: str, words: str) -> SafeString:
    context = {"card": Card(text) if text else None, "size": size, "state": state, "words": words}
    return render_to_string("games/_card.html", context)


def face(card: Card) -> SafeString:
    """A card face: rank and coloured suit sign for eyes, words for screen readers."""
    return drawn(card.text)


def faces(cards: Iterable[Card]) -> SafeString:
    """A row of card faces."""
    language = get_language() or "en"
    inner = mark_safe("".join(_drawn(language, card.text, "", "", "") for card in cards))  # noqa: S308 - safe
    return format_html('<span class="cards">{}</span>', inner)


@lru_cache(maxsize=1024)
def played_face(_language: str, text: str, *, wins: bool, melds: bool) -> SafeString:
    """A card as it was played, taking the trick or melded; the language has to be the active one."""
    state = [word for word, holds in (("won", wins), ("meld", melds)) if holds]
    words = [gettext("melded")] if melds else []
    words += [gettext("takes the trick")] if wins else []
    return drawn(text, state=" ".join(state), words=", ".join(words))
