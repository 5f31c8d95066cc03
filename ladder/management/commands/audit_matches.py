"""``manage.py audit_matches``: every match once, its record and its rating as it was played."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, close_old_connections

from games import watchdog
from games.models import Match
from games.queue import OPEN_STATES
from ladder import rating_log
from ladder.match_audits import audit_matches
from ladder.models import Pool

PAUSE_S = 0.5


class Command(BaseCommand):
    """Prints the counts in one line; each problem a line, and exit code 1."""

    help = (
        "Verify every record and compare it with rows, attempts and ratings; exit 1 when something differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--settle", type=float, metavar="S", help="wait so long until no match is open")
        parser.add_argument(
            "--since",
            type=_moment,
            help="a bot's fault after this moment is a problem too (UTC, if not said)",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["settle"]:
            _settle(time.monotonic() + options["settle"])
        began = time.monotonic()
        found = audit_matches(since=options["since"])
        self.stdout.write(
            f"matches: {_counted(found.states)}; attempts: {_counted(found.attempts)}; "
            f"{found.records} finished ones looked at, {found.rated} rated, {found.faults} faults, "
            f"{time.monotonic() - began:.1f} s"
        )
        if found.problems:
            raise CommandError("\n".join(found.problems))


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _settle(deadline: float) -> None:
    """Wait until nothing is open, looking for what was lost as the watchdog does, and rate what has finished."""
    while True:
        try:
            watchdog.watch()
            if not Match.objects.filter(state__in=OPEN_STATES).exists():
                break
        except OperationalError:
            close_old_connections()
        if not time.monotonic() <= deadline:  # nor if it is no number
            raise CommandError(
                f"{Match.objects.filter(state__in=OPEN_STATES).count()} matches are still open."
            )
        time.sleep(PAUSE_S)
    for pool in Pool.objects.select_related("season"):
        rating_log.rate_finished(pool)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {what}" for what, number in sorted(counts.items())) or "none"
