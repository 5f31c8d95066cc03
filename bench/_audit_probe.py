"""Audits the rating logs of a filled database as ``manage.py audit_ratings`` does; one JSON line (:mod:`bench.reads`)."""

from __future__ import annotations

import json
import sys

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from bench import _ready
from bench._server_time import measured
from ladder.models import RatingEvent

assert _ready  # Django is ready before the command is loaded


def main() -> None:
    """Measure and print; an event that disagrees ends it."""
    settings.DEBUG = False
    with connection.cursor() as cursor:  # one core: nothing is left to processes that are not measured
        cursor.execute("SET max_parallel_workers_per_gather = 0")
    with measured() as spent:
        call_command("audit_ratings", stdout=sys.stderr)
    matches = RatingEvent.objects.filter(kind=RatingEvent.Kind.MATCH).count()
    print(json.dumps({"matches": matches, "server_s": spent.server / 1e3, "clock_s": spent.clock / 1e3}))


if __name__ == "__main__":
    main()
