"""Cards as pages show them, each drawn once a process and language by ``games/_card.html``: a page has hundreds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext

from games.faces import Card
from games.replays import Played


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
    inner = mark_safe("".join(face(card) for card in cards))  # noqa: S308 - each face is safe already
    return format_html('<span class="cards">{}</span>', inner)


def played_face(played: Played) -> SafeString:
    """A card as it was played: melded, taking the trick."""
    state = [word for word, holds in (("won", played.wins), ("meld", played.melds)) if holds]
    words = [gettext("melded")] if played.melds else []
    words += [gettext("takes the trick")] if played.wins else []
    return drawn(played.card.text, state=" ".join(state), words=", ".join(words))
