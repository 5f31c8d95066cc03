"""The phases of a tournament: one table of steps, taken under a lock on its row."""

from __future__ import annotations

from typing import Final

from django.utils import timezone

from botapi.errors import DomainError
from ladder.models import Tournament

Phase = Tournament.Phase

STEPS: Final[dict[str, frozenset[str]]] = {
    Phase.DRAFT: frozenset({Phase.REGISTRATION, Phase.CANCELLED}),
    Phase.REGISTRATION: frozenset({Phase.RUNNING, Phase.CANCELLED}),
    Phase.RUNNING: frozenset({Phase.FINISHED, Phase.CANCELLED}),
    Phase.FINISHED: frozenset(),
    Phase.CANCELLED: frozenset(),
}
"""From each phase, those that may follow."""

_WHEN: Final = {Phase.RUNNING: "started_at", Phase.FINISHED: "finished_at", Phase.CANCELLED: "finished_at"}


def locked(tournament: Tournament) -> Tournament:
    """The tournament as it stands now, its row held until the transaction ends."""
    return Tournament.objects.select_for_update(of=("self",)).select_related("series").get(pk=tournament.pk)


def step(tournament: Tournament, to: str, reason: str = "") -> Tournament:
    """Take a locked tournament to its next phase; DomainError ``wrong_phase`` where the table has no step."""
    if to not in STEPS[tournament.phase]:
        raise DomainError("wrong_phase", f"{tournament.name} is in the phase {tournament.phase}.", 409)
    tournament.phase, tournament.phase_reason = to, reason[:300]
    when = _WHEN.get(Phase(to))
    if when:
        setattr(tournament, when, timezone.now())
    tournament.save()
    return tournament
