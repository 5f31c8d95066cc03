"""Reading a private log leaves an audit entry when an operator does it (service.md, "Who may see what")."""

from __future__ import annotations

from django.db import transaction

from botapi.models import User
from games import queries
from games.models import LogLook, Match, SeatLog


@transaction.atomic
def read_log(user: User, match: Match, *, seat: int, attempt: int | None = None) -> SeatLog | None:
    """The log of ``seat`` in ``attempt`` (by default the last); None when there is none for ``user``."""
    logs = queries.readable_logs(user, match).filter(seat=seat)
    if attempt is not None:
        logs = logs.filter(attempt=attempt)
    log = logs.order_by("-attempt").first()
    if log is not None and not _is_authors(user, log):
        LogLook.objects.create(user=user, log=log)
    return log


def _is_authors(user: User, log: SeatLog) -> bool:
    return log.match.seats.filter(index=log.seat, version__bot__owner=user).exists()
