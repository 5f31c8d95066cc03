"""``manage.py fill``: a made history of many matches, to see how the service does at that size."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from botapi.errors import DomainError
from games.commandline.progress import Progress
from ladder.filling import check, fill


class Command(BaseCommand):
    """Prints what it made and how long that took."""

    help = (
        "Make a season of many matches: house bots play a pool of tables, each of which many matches repeat under "
        "other names; all of it is rated, verifies and can be audited. Stop the service before."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--matches", type=int, default=10_000, metavar="N", help="default 10000")
        parser.add_argument("--bots", type=int, default=300, metavar="N", help="default 300, at least 12")
        parser.add_argument("--pool", type=int, default=2000, metavar="N", help="tables played, default 2000")
        parser.add_argument("--add", action="store_true", help="beside matches that are there")
        parser.add_argument("--yes", action="store_true", help="outside of development, too")
        parser.add_argument("--json", action="store_true", help="say it as one JSON line")

    def handle(self, *_args: Any, **options: Any) -> None:
        if not settings.DEBUG and not options["yes"]:
            raise CommandError(
                "This is no development service (DEBUG is off); --yes makes a history all the same."
            )
        wish = {name: options[name] for name in ("matches", "bots", "add")}
        wish["pool"] = min(options["pool"], options["matches"])
        began = time.monotonic()
        progress = Progress(wish["pool"] + wish["matches"], "tables and matches")
        try:
            check(**wish)
            made = fill(**wish, step=progress.step)
        except DomainError as refusal:
            raise CommandError(refusal.message) from refusal
        finally:
            progress.close()
        seconds = time.monotonic() - began
        if options["json"]:
            said = {
                "season": made.season.slug,
                "matches": made.matches,
                "bots": made.bots,
                "tables": made.tables,
            }
            self.stdout.write(json.dumps({**said, "events": made.events, "seconds": round(seconds, 1)}))
            return
        self.stdout.write(
            f"{made.season.name}: {made.matches} matches of {made.bots} bots from {made.tables} tables, "
            f"{made.events} events in its log, {seconds:.1f} s ({made.matches / seconds:.0f} matches/s)"
        )
