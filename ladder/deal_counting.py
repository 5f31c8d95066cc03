"""Counts what a season's public finished matches dealt, a few at a time: pages read the sums, never the records.

Finish numbers are given in the order of commits, so that everything up to one can be counted for good. A match
whose block is still open at another table is withheld and waited for; later ones are noted as counted ahead.
The tables of a duplicate block have the same decks: the first rotation is counted for all of them.
"""

from __future__ import annotations

import json
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet

from engine import RuleSet
from games.models import Match
from games.queries import is_withheld
from ladder.deal_tally import Counter, Tally
from ladder.models import DealTally, Season

BATCH: Final = 100
"""Most matches counted in one transaction."""


def count_deals(season: Season) -> int:
    """Count the matches of ``season`` that are not counted yet; how many."""
    done = 0
    while counted := _count_batch(season):
        done += counted
    return done


def tally_of(season: Season) -> Tally:
    """What is counted of a season so far."""
    row = DealTally.objects.filter(season=season).first()
    if row is None or not row.counts:
        return Tally.empty(RuleSet.from_json(season.rules))
    return Tally.from_json(row.counts)


@transaction.atomic
def _count_batch(season: Season) -> int:
    """Count some; 0 when there is nothing left that may be counted, or somebody else counts."""
    DealTally.objects.get_or_create(season=season)
    row = DealTally.objects.select_for_update(skip_locked=True).filter(season=season).first()
    if row is None:
        return 0
    rules = RuleSet.from_json(season.rules)
    tally = Tally.from_json(row.counts) if row.counts else Tally.empty(rules)
    counter = Counter(rules, tally)
    counted, waiting = 0, False
    for match in _uncounted(season, row)[:BATCH]:
        if match.block is not None and is_withheld(match):
            waiting = True
            continue
        if match.state == Match.State.FINISHED or match.block is None:
            counter.add(json.loads(match.record.body))
        counted += 1
        if waiting:
            row.ahead.append(match.finish_seq)
        else:
            row.counted_to = match.finish_seq or row.counted_to
    row.ahead = [number for number in row.ahead if number > row.counted_to]
    if counted:
        row.counts = tally.to_json()
        row.save()
    return counted


def _uncounted(season: Season, row: DealTally) -> QuerySet[Match]:
    """Matches with a record whose cards are new, in the order in which they ended.

    One declared void afterwards was dealt all the same. Of a block that holds for the table that replaced it.
    """
    return (
        Match.objects.filter(
            Q(block__isnull=True) | Q(rotation=0),
            series=season.series_id,
            finish_seq__gt=row.counted_to,
            record__isnull=False,
            players=season.players,
        )
        .exclude(finish_seq__in=row.ahead)
        .select_related("record")
        .order_by("finish_seq")
    )
