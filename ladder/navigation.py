"""What the bar on top of every page leads to, and which of it one is at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

MAIN: Final[tuple[tuple[str, str | Promise], ...]] = (
    ("/play/", _("Play")),
    ("/live/", _("Live")),
    ("/ladder/", _("Ladder")),
    ("/matches/", _("Matches")),
    ("/tournaments/", _("Tournaments")),
    ("/events/", _("Events")),
    ("/docs/rules/", _("Rules")),
)
MORE: Final[tuple[tuple[str, str | Promise], ...]] = (
    ("/bots/", _("Bots")),
    ("/seasons/", _("Seasons")),
    ("/schedule/", _("Schedule")),
    ("/status/", _("Status")),
    ("/docs/", _("Docs")),
    ("/api/v1/", _("API")),
)


@dataclass(frozen=True, slots=True)
class Link:
    """One entry; ``current`` is what aria-current says: "page" there, "true" below it, empty elsewhere."""

    address: str
    label: str | Promise
    current: str


@dataclass(frozen=True, slots=True)
class Bar:
    """The entries in sight, and those behind "More"."""

    main: tuple[Link, ...]
    more: tuple[Link, ...]

    @property
    def all(self) -> tuple[Link, ...]:
        """Every entry, as a phone's menu lists them."""
        return self.main + self.more


def bar(path: str) -> Bar:
    """The bar as it stands on the page at ``path``."""
    places = [address for address, _label in (*MAIN, *MORE) if path.startswith(address)]
    here = max(places, key=len, default="")
    return Bar(_links(MAIN, path, here), _links(MORE, path, here))


def _links(entries: Sequence[tuple[str, str | Promise]], path: str, here: str) -> tuple[Link, ...]:
    return tuple(Link(address, label, _current(address, path, here)) for address, label in entries)


def _current(address: str, path: str, here: str) -> str:
    if address != here:
        return ""
    return "page" if address == path else "true"
