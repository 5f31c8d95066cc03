"""``manage.py collusion_report``: the pair tests of a pool, the most remarkable first (ratings.md, "collusion")."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from botapi.models import Bot
from ladder import pair_flags
from ladder.models import Pool


class Command(BaseCommand):
    """Prints a table, or one JSON line a pair; exit code 1 when a pair is suspicious."""

    help = "Which bots do too well or too ill beside which others; exit 1 when a pair is suspicious."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--pool", type=int, help="number of the pool (default: all)")
        parser.add_argument("--most", type=int, default=10, help="pairs shown a pool (default 10)")
        parser.add_argument("--json", action="store_true", help="one JSON line a pair")

    def handle(self, *_args: Any, **options: Any) -> None:
        pools = Pool.objects.select_related("season").order_by("pk")
        if options["pool"] is not None:
            pools = pools.filter(pk=options["pool"])
            if not pools:
                raise CommandError(f"There is no pool {options['pool']}.")
        suspicious = 0
        for pool in pools:
            tests = pair_flags.tests_of(pool)
            suspicious += sum(test.suspicious for test in tests)
            shown = tests[: max(0, options["most"])]
            names = Bot.objects.in_bulk({bot for test in shown for bot in (test.helper, test.helped)})
            if not options["json"]:
                self.stdout.write(f"{pool} ({pool.season}): {len(tests)} pairs")
            for test in shown:
                helper, helped = names[test.helper].name, names[test.helped].name
                row = {"pool": pool.pk, "helper": helper, "helped": helped, "joint": test.joint}
                row |= {
                    "surplus": round(test.surplus, 2),
                    "z": round(test.z, 2),
                    "suspicious": test.suspicious,
                }
                mark = "  look at it" if test.suspicious else ""
                text = f"  {helped} beside {helper}: z {test.z:+.2f}, {test.joint} joint matches{mark}"
                self.stdout.write(json.dumps(row) if options["json"] else text)
        if suspicious:
            raise CommandError(f"Suspicious pairs: {suspicious}.")
