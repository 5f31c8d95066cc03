"""A person leaves: what matches hold of the person goes, the records stay."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.db.models import F

from botapi import leaving
from botapi.models import User
from games.models import Fault, Match, Seat, SeatLog
from games.people_models import Person
from games.queue import OPEN_STATES


@transaction.atomic
def leave(user: User) -> None:
    """Take the person from what was played or asked for: an alias stays with its records, and nobody behind it."""
    Match.objects.filter(requested_by=user).update(requested_by=None)
    Person.objects.filter(user=user).update(user=None)


def erase_left(kept: Collection[int] = ()) -> int:
    """Erase what is left of people who left: private logs, and sources once no match needs them; how many sources.

    Matches that wait or run are played to their end with the version they were made with. Versions that are ``kept``
    (their keys) are needed for matches to come.
    """
    _erase_logs()
    needed = Seat.objects.filter(match__state__in=OPEN_STATES, version__isnull=False).values("version")
    left = leaving.left_versions().exclude(pk__in=needed).exclude(pk__in=kept)
    free = list(left.values_list("pk", flat=True)[:1000])
    leaving.erase(free)
    return len(free)


def _erase_logs() -> None:
    of_the_left = {
        "match__seats__index": F("seat"),
        "match__seats__version__bot__owner__left_at__isnull": False,
        "match__state__in": [state for state in Match.State if state not in OPEN_STATES],
    }
    logs = SeatLog.objects.filter(**of_the_left).values("pk")
    SeatLog.objects.filter(pk__in=list(logs.values_list("pk", flat=True)[:10_000])).delete()
    told = Fault.objects.filter(**of_the_left).exclude(message="").values_list("pk", flat=True)
    Fault.objects.filter(pk__in=list(told[:10_000])).update(message="")
