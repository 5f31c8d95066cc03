"""How match pages look things up, and draw cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from games.faces import Card, signed
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
    return _face(card, "", "")


@register.filter
def faces(cards: Iterable[Card]) -> SafeString:
    """A row of card faces."""
    inner = mark_safe("".join(face(card) for card in cards))  # noqa: S308 - each face is safe already
    return format_html('<span class="cards">{}</span>', inner)


@register.filter
def played_face(played: Played) -> SafeString:
    """A card as it was played: melded, taking the trick."""
    style = (" won" if played.wins else "") + (" meld" if played.melds else "")
    words = (", melded" if played.melds else "") + (", takes the trick" if played.wins else "")
    return _face(played.card, style, words)


def _face(card: Card, style: str, words: str) -> SafeString:
    return format_html(
        '<span class="card {}{}"><span aria-hidden="true">{}<b>{}</b></span><span class="sr">{}{}</span></span>',
        *(card.suit, style, card.rank, card.sign, card.name, words),
    )


@register.filter
def unlocalized(value: float) -> str:
    """A coordinate: a point as decimal sign in every language."""
    return f"{value:.1f}"
