"""Counts what a season's public finished matches dealt, a few at a time: pages read the sums, never the records.

Finish numbers are given in the order of commits, so that everything up to one can be counted for good. A match
whose block is still open at another table is withheld and waited for; later ones are noted as counted ahead.
The tables of a duplicate block have the same decks: the first one that was dealt is counted for all of them, the
first rotation unless that was void before it began.
"""

from __future__ import annotations

import json
from typing import Final

from django.db import transaction
from django.db.models import Max, Q, QuerySet

from engine import RuleSet
from games.models import Match
from games.queries import is_withheld
from games.queue import OPEN_STATES
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
    last, settled = _last_finished(season), not _open_blocks(season)
    rules = RuleSet.from_json(season.rules)
    tally = Tally.from_json(row.counts) if row.counts else Tally.empty(rules)
    counter = Counter(rules, tally)
    counted, waiting = 0, False
    broken = set(_broken_blocks(season))
    found = list(_uncounted(season, row)[:BATCH])
    for match in found:
        if match.block is not None and is_withheld(match):
            waiting = True
            continue
        if match.block not in broken or _dealt_first(match):
            counter.add(json.loads(match.record.body))
        counted += 1
        if waiting:
            row.ahead.append(match.finish_seq)
        else:
            row.counted_to = match.finish_seq or row.counted_to
    before = row.counted_to
    if len(found) < BATCH and settled and not waiting:
        # The tables for which others stand are not looked at again.
        row.counted_to = max(row.counted_to, last)
    row.ahead = [number for number in row.ahead if number > row.counted_to]
    if counted or row.counted_to > before:
        row.counts = tally.to_json()
        row.save()
    return counted


def _last_finished(season: Season) -> int:
    matches = Match.objects.filter(series=season.series_id)
    return matches.aggregate(last=Max("finish_seq"))["last"] or 0


def _open_blocks(season: Season) -> bool:
    """Whether a table of a block is still to be played; a block that is over takes no more tables."""
    tables = Match.objects.filter(series=season.series_id, block__isnull=False, state__in=OPEN_STATES)
    return tables.exists()


def _broken_blocks(season: Season) -> QuerySet[Match, int | None]:
    """Blocks of which a first rotation was void or could not be played: another table may stand for them."""
    ended = Q(state=Match.State.VOID) | Q(state=Match.State.FAILED)  # as the indexes of these states have it
    first = Match.objects.filter(ended, series=season.series_id, block__isnull=False, rotation=0)
    return first.order_by().values_list("block", flat=True)


def _dealt_first(match: Match) -> bool:
    """Whether ``match``, of a block that is over, is the first of its tables that was dealt: this never changes."""
    tables = Match.objects.filter(series=match.series_id, block=match.block, record__isnull=False)
    return tables.order_by("rotation", "pk").values_list("pk", flat=True).first() == match.pk


def _uncounted(season: Season, row: DealTally) -> QuerySet[Match]:
    """Matches with a record whose cards are new, in the order in which they ended.

    One declared void afterwards was dealt all the same.
    """
    return (
        Match.objects.filter(
            Q(block__isnull=True) | Q(rotation=0) | Q(block__in=_broken_blocks(season)),
            series=season.series_id,
            finish_seq__gt=row.counted_to,
            record__isnull=False,
            players=season.players,
        )
        .exclude(finish_seq__in=row.ahead)
        .select_related("record")
        .order_by("finish_seq")
    )
