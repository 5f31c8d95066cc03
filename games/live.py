"""Tables as they are played: what is on now and what comes next, of what everybody may watch (games.watching)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Prefetch, QuerySet

from games import streams
from games.listing import Line, lines
from games.models import Match, Seat
from games.queries import matches
from games.watching import CLASSES, channel

SHOWN: Final = 24
"""Most tables on one page."""


@dataclass(frozen=True, slots=True)
class LiveTable:
    """A table that is on: its match, and what it showed last (None before its first cards)."""

    match: Match
    state: dict[str, Any] | None


def watchable() -> QuerySet[Match]:
    """Matches that everybody may watch, with their series and the seats' names as they are shown, and no more of them."""
    seats = Seat.objects.only("match", "index", "name", "place", "total").order_by("index")
    found = Match.objects.filter(klass__in=CLASSES, block=None)
    return found.select_related("series").prefetch_related(Prefetch("seats", queryset=seats))


def tables() -> list[LiveTable]:
    """What is on now, the newest first."""
    running = list(watchable().filter(state=Match.State.RUNNING).order_by("-started_at", "-pk")[:SHOWN])
    return _with_states(running)


def table(match_id: int) -> LiveTable | None:
    """A table that may be watched, now or as soon as it begins; None for any other match."""
    found = watchable().filter(pk=match_id, state__in=(Match.State.QUEUED, Match.State.RUNNING))
    states = _with_states(list(found))
    return states[0] if states else None


def next_matches() -> list[Line]:
    """What may be watched soon and has a page: the oldest of what is queued."""
    soon = matches().filter(klass__in=CLASSES, block=None)
    return lines(soon.filter(state=Match.State.QUEUED).order_by("created_at", "pk")[:8])


def _with_states(found: list[Match]) -> list[LiveTable]:
    states = streams.kept(channel(match.pk) for match in found)
    return [LiveTable(match, _of(states.get(channel(match.pk)))) for match in found]


def _of(state: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if state is None or "over" in state else state
