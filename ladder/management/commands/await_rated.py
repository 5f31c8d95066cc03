"""``manage.py await_rated N``: wait for N rated matches and say one line about them."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any, TypeVar

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, close_old_connections
from django.db.models import Count, Max, Sum

from games.models import Fault, Match
from ladder.models import RatingEvent

T = TypeVar("T")

PAUSE_S = 0.5


class Command(BaseCommand):
    """Counts from the moment it starts; a database that restarts in the meantime is waited for."""

    help = "Wait until N matches have been rated; exit 1 with the reason if that takes too long."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("wanted", type=int)
        parser.add_argument("--timeout", type=float, default=600, help="seconds")

    def handle(self, *_args: Any, wanted: int, timeout: float, **_options: Any) -> None:
        begun = time.monotonic()
        ends = begun + timeout
        first = _patiently(lambda: RatingEvent.objects.aggregate(last=Max("id"))["last"] or 0, ends)
        rated: list[int] = []
        while len(rated) < wanted:
            seconds = time.monotonic() - begun
            if seconds > timeout:
                raise CommandError(
                    f"only {len(rated)} of {wanted} matches were rated in {seconds:.0f} s; {_queue()}"
                )
            time.sleep(PAUSE_S)
            rated = _patiently(lambda: _rated_after(first), ends)
        self.stdout.write(_patiently(lambda: _summary(rated, time.monotonic() - begun), ends))


def _patiently(read: Callable[[], T], ends: float) -> T:
    """``read()``, tried again while PostgreSQL is away, up to ``ends`` (monotonic)."""
    while True:
        try:
            return read()
        except OperationalError:
            close_old_connections()
            if time.monotonic() > ends:
                raise
            time.sleep(PAUSE_S)


def _rated_after(event: int) -> list[int]:
    """The matches of the rating events after ``event``."""
    events = RatingEvent.objects.filter(kind=RatingEvent.Kind.MATCH, id__gt=event, match__isnull=False)
    return list(events.order_by("id").values_list("match_id", flat=True))


def _summary(matches: list[int], seconds: float) -> str:
    deals = Match.objects.filter(id__in=matches).aggregate(sum=Sum("deals"))["sum"] or 0
    faults = Fault.objects.filter(match_id__in=matches).count()
    return f"{len(matches)} matches rated, {deals} deals, {seconds:.1f} s, {faults} faults"


def _queue() -> str:
    """What the queue holds, for somebody who wonders why nothing happens."""
    states = Match.objects.values_list("state").annotate(n=Count("id")).order_by("state")
    return "matches: " + (", ".join(f"{n} {state}" for state, n in states) or "none")
