"""How pages look for a person: theme, deck, motion. Kept with the account, or in the session of a guest.

A page carries what was chosen as attributes of ``<html>`` (``data-theme``, ``data-deck``, ``data-motion``); the style
sheets do the rest. What was not chosen has no attribute: then the system's own settings count.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from botapi.models import User

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

THEMES: Final = ("", "light", "dark")
DECKS: Final = ("four", "two")
MOTIONS: Final = ("", "reduced")
KEY: Final = "display"
"""Where a guest's choice is in the session."""


@dataclass(frozen=True)
class Display:
    """What was chosen; the defaults are what the system says, and four colours of suits."""

    theme: str = ""
    deck: str = "four"
    motion: str = ""


def read(kept: Mapping[str, Any]) -> Display:
    """The choice as it was kept; what is not known any more counts as not chosen."""
    plain = Display()
    return Display(
        theme=kept["theme"] if kept.get("theme") in THEMES else plain.theme,
        deck=kept["deck"] if kept.get("deck") in DECKS else plain.deck,
        motion=kept["motion"] if kept.get("motion") in MOTIONS else plain.motion,
    )


def display_of(request: HttpRequest) -> Display:
    """What the person of this request chose."""
    user = getattr(request, "user", None)
    if isinstance(user, User):
        return read(user.display)
    session = getattr(request, "session", None)
    return read(session.get(KEY, {}) if session is not None else {})


def keep(request: HttpRequest, chosen: Display) -> None:
    """Keep the choice with the account, or for as long as a guest's session lasts."""
    if isinstance(request.user, User):
        User.objects.filter(pk=request.user.pk).update(display=asdict(chosen))
        request.user.display = asdict(chosen)
    else:
        request.session[KEY] = asdict(chosen)


def context(request: HttpRequest) -> dict[str, Any]:
    """Context processor: ``display`` for the frame of every page."""
    return {"display": display_of(request)}
