"""How ladder pages write numbers, option values and links to matches."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from django import template
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from botapi import state_reasons
from engine.wording import Sentence
from games.faces import minus
from games.row_templates import changed, key
from ladder.events.device_words import device_words
from ladder.navigation import Bar, bar
from ladder.tournament_models import Entrant

PLACES: Final = {
    "forehand": _("forehand"),
    "second": _("second hand"),
    "third": _("third hand"),
    "fourth": _("fourth hand"),
    "talon": _("talon"),
    "stock": _("stock"),
}
TOO_FEW: Final = re.compile(r"(?P<ready>\d+) entrants? (?:is|are) ready; (?P<needed>\d+) are needed\.")
"""As ladder.tournaments.start writes it into the phase's reason."""
register = template.Library()
register.filter("key", key)
register.filter("minus", minus)
register.filter("signed", changed)
register.filter("device_words", device_words)


@register.filter
def plain(value: float) -> str:
    """A number of points with as many decimals as it needs, two at most: "3", "4.5", "1.33"."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text.replace("-", "−")


@register.filter
def as_json(value: Any) -> str:
    """An option's value as the record writes it."""
    return json.dumps(value, ensure_ascii=False)


@register.filter
def in_words(sentence: Sentence) -> str:
    """A sentence of the rules in the reader's language."""
    text = gettext(sentence.text)
    return text % sentence.parameters if sentence.parameters else text


@register.simple_tag(takes_context=True)
def navigation(context: dict[str, Any]) -> Bar:
    """The bar on top of this page; an error page without a request is nowhere."""
    request = context.get("request")
    return bar(request.path if request is not None else "")


@register.filter
def at(items: Sequence[Any], place: int) -> Any:
    """The item at a place, for rows beside their headings."""
    return items[place]


@register.filter
def place_words(name: str) -> str:
    """A place in the deck: a hand, a talon (the second is "talon 2"), the stock."""
    first, _space, number = name.partition(" ")
    return f"{PLACES.get(first, first)} {number}".strip()


@register.filter
def told(reason: str) -> str:
    """A stored reason in the reader's language, where it is one of the service's own."""
    return TOO_FEW.sub(_too_few, state_reasons.told(reason))


def _too_few(found: re.Match[str]) -> str:
    ready, needed = int(found["ready"]), int(found["needed"])
    words = ngettext(
        "%(ready)d entrant is ready; %(needed)d are needed.",
        "%(ready)d entrants are ready; %(needed)d are needed.",
        ready,
    )
    return words % {"ready": ready, "needed": needed}


@register.filter
def entrant_words(state: str) -> str:
    """The state of an entrant."""
    return str(Entrant.State(state).label)
