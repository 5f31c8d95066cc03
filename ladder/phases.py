"""Phases of tournaments and events: one table of steps, taken under a lock on the row; what beat moves on; the end.

Publication is no phase but a date of what is finished; with it, or when it is cancelled, the series closes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.utils import timezone
from django.utils.translation import gettext

from botapi.errors import DomainError
from ladder.events.models import Event
from ladder.tournament_models import Tournament

logger = logging.getLogger(__name__)

Competition = TypeVar("Competition", Tournament, Event)

STEPS: Final[dict[type[Tournament | Event], dict[str, frozenset[str]]]] = {
    Tournament: {
        Tournament.Phase.DRAFT: frozenset({Tournament.Phase.REGISTRATION, Tournament.Phase.CANCELLED}),
        Tournament.Phase.REGISTRATION: frozenset({Tournament.Phase.RUNNING, Tournament.Phase.CANCELLED}),
        Tournament.Phase.RUNNING: frozenset({Tournament.Phase.FINISHED, Tournament.Phase.CANCELLED}),
        Tournament.Phase.FINISHED: frozenset(),
        Tournament.Phase.CANCELLED: frozenset(),
    },
    Event: {
        Event.Phase.DRAFT: frozenset({Event.Phase.REGISTRATION, Event.Phase.CANCELLED}),
        Event.Phase.REGISTRATION: frozenset({Event.Phase.CHECK_IN, Event.Phase.CANCELLED}),
        Event.Phase.CHECK_IN: frozenset({Event.Phase.RUNNING, Event.Phase.CANCELLED}),
        Event.Phase.RUNNING: frozenset({Event.Phase.FINISHED, Event.Phase.CANCELLED}),
        Event.Phase.FINISHED: frozenset(),
        Event.Phase.CANCELLED: frozenset(),
    },
}
"""From each phase of either kind, those that may follow."""

_WHEN: Final = {"running": "started_at", "finished": "finished_at", "cancelled": "finished_at"}


def locked(row: Competition) -> Competition:
    """The tournament or event as it stands now, its row held until the transaction ends."""
    chosen = type(row).objects.select_for_update(of=("self",)).select_related("series")
    return chosen.get(pk=row.pk)


def locked_if_free(row: Competition) -> Competition | None:
    """The same, but None where another transaction holds the row: whoever does so moves it on."""
    chosen = type(row).objects.select_for_update(of=("self",), skip_locked=True).select_related("series")
    return chosen.filter(pk=row.pk).first()


def step(row: Competition, to: str, reason: str = "") -> Competition:
    """Take a locked row to its next phase; DomainError ``wrong_phase`` where the table has no step."""
    if to not in STEPS[type(row)][row.phase]:
        raise wrong_phase(row)
    row.phase, row.phase_reason = to, reason[:300]
    when = _WHEN.get(to)
    if when:
        setattr(row, when, timezone.now())
    row.save()
    return row


def wrong_phase(row: Tournament | Event) -> DomainError:
    """The refusal of what its phase does not allow, in the reader's language."""
    if isinstance(row, Tournament):
        words = {"name": row.name, "phase": row.get_phase_display()}
        message = gettext("%(name)s is in the phase “%(phase)s”.") % words
    else:
        message = gettext("%(event)s cannot do that now.") % {"event": row.name}
    return DomainError("wrong_phase", message, 409)


def start_in_time(
    row: Competition, start: Callable[[Competition], Competition], cancel: Callable[..., Competition]
) -> Competition:
    """Start what is due; where that is refused it is cancelled, with the reason."""
    try:
        return start(row)
    except DomainError as refusal:
        return cancel(row, reason=refusal.message)


def move_on(kind: type[Competition], advance: Callable[[Competition], None]) -> int:
    """Advance each one that is under way; how many. One that fails leaves the others alone."""
    begun = kind.objects.exclude(phase__in=("draft", "cancelled"))
    under_way = list(begun.filter(published_at__isnull=True).order_by("pk"))
    for row in under_way:
        try:
            advance(row)
        except Exception:  # the next beat tries again
            logger.exception("%s %s did not move on", kind.__name__.lower(), row.slug)
    return len(under_way)


def publish_result(row: Competition, result: Any) -> Competition:
    """Keep the result of a locked row as it is for good, and close its series."""
    row.result, row.published_at = result, timezone.now()
    row.save(update_fields=["result", "published_at"])
    close_series(row)
    return row


def close_series(row: Tournament | Event) -> None:
    """From now on the secret of its series may be revealed, once none of its matches is open."""
    if row.series is not None:
        row.series.closed_at = timezone.now()
        row.series.save(update_fields=["closed_at"])
