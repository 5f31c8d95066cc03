"""``manage.py audit_ratings``: replay rating logs from their first event (ratings.md, "The log")."""

from __future__ import annotations

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from ladder.audits import audit
from ladder.models import Pool
from ladder.replay import LogError


class Command(BaseCommand):
    """Prints one line a pool; the first event that disagrees ends it with exit code 1."""

    help = "Replay the rating log of a pool (default: of all), name the first event that disagrees, exit 1."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--pool", type=int, help="number of the pool")
        parser.add_argument("--boards", action="store_true", help="work out the boards of rebases again, too")

    def handle(self, *_args: Any, **options: Any) -> None:
        pools = Pool.objects.select_related("season").order_by("pk")
        if options["pool"] is not None:
            pools = pools.filter(pk=options["pool"])
            if not pools:
                raise CommandError(f"There is no pool {options['pool']}.")
        for pool in pools:
            began = time.monotonic()
            try:
                done = audit(pool, with_boards=options["boards"])
            except LogError as error:
                raise CommandError(f"{pool} ({pool.season}): {error}") from error
            seconds = time.monotonic() - began
            head = done.sha256[:12] or "empty"
            self.stdout.write(
                f"{pool} ({pool.season}): {done.seq} events, {done.matches} matches agree, "
                f"head {head}, {seconds:.1f} s"
            )
