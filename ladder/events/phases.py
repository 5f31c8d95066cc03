"""The phases of an event: one table of steps, taken under a lock on its row."""

from __future__ import annotations

from typing import Final

from django.utils import timezone
from django.utils.translation import gettext

from botapi.errors import DomainError
from ladder.events.models import Event

Phase = Event.Phase

STEPS: Final[dict[str, frozenset[str]]] = {
    Phase.DRAFT: frozenset({Phase.REGISTRATION, Phase.CANCELLED}),
    Phase.REGISTRATION: frozenset({Phase.CHECK_IN, Phase.CANCELLED}),
    Phase.CHECK_IN: frozenset({Phase.RUNNING, Phase.CANCELLED}),
    Phase.RUNNING: frozenset({Phase.FINISHED, Phase.CANCELLED}),
    Phase.FINISHED: frozenset(),
    Phase.CANCELLED: frozenset(),
}
"""From each phase, those that may follow. Publication is a date of a finished event."""

_WHEN: Final = {Phase.RUNNING: "started_at", Phase.FINISHED: "finished_at", Phase.CANCELLED: "finished_at"}


def locked(event: Event) -> Event:
    """The event as it stands now, its row held until the transaction ends."""
    return Event.objects.select_for_update(of=("self",)).select_related("series").get(pk=event.pk)


def step(event: Event, to: str, reason: str = "") -> Event:
    """Take a locked event to its next phase; DomainError ``wrong_phase`` where the table has no step."""
    if to not in STEPS[event.phase]:
        message = gettext("%(event)s cannot do that now.") % {"event": event.name}
        raise DomainError("wrong_phase", message, 409)
    event.phase, event.phase_reason = to, reason[:300]
    when = _WHEN.get(Phase(to))
    if when:
        setattr(event, when, timezone.now())
    event.save()
    return event
