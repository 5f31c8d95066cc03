"""Counts how bots play, entry after entry of the rating log, so that pages read a row a version and never a record.

The log is gap-free and only grows, so that where it was counted to is all there is to remember; a withdrawn match is
taken back when its entry comes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.db.models import Prefetch

from botapi.models import Bot
from games.models import Match, MatchRecord, Seat
from ladder.models import Pool, RatingEvent
from ladder.play_models import PlayCount, PlayTally
from ladder.play_tally import PlayTally as Tally

BATCH: Final = 100
"""Most entries counted in one transaction."""


def count_play(pool: Pool) -> int:
    """Count the entries of the pool's log that are not counted yet; how many."""
    done = 0
    while counted := _count_batch(pool):
        done += counted
    return done


def tally_of(pool: Pool, bot: Bot) -> Tally:
    """What is counted of all versions of a bot so far. One query."""
    tally = Tally()
    for counts in PlayTally.objects.filter(pool=pool, version__bot=bot).values_list("counts", flat=True):
        tally.add(Tally.from_json(counts))
    return tally


@transaction.atomic
def _count_batch(pool: Pool) -> int:
    """Count some; 0 when there is nothing left, or somebody else counts."""
    PlayCount.objects.get_or_create(pool=pool)
    row = PlayCount.objects.select_for_update(skip_locked=True).filter(pool=pool).first()
    if row is None:
        return 0
    events = list(RatingEvent.objects.filter(pool=pool, seq__gt=row.seq).order_by("seq")[:BATCH])
    if not events:
        return 0
    found: dict[int, Tally] = {}
    matches = _matches([event.match_id for event in events if event.match_id is not None])
    for event in events:
        if event.match_id is not None:
            times = -1 if event.kind == RatingEvent.Kind.VOID else 1
            _count(matches[event.match_id], found, times)
    _write(pool, found)
    row.seq = events[-1].seq
    row.save()
    return len(events)


def _matches(ids: Sequence[int]) -> dict[int, Match]:
    seats = Prefetch("seats", Seat.objects.filter(version__isnull=False))
    found = Match.objects.filter(pk__in=ids).select_related("record").prefetch_related(seats)
    return {match.pk: match for match in found}


def _count(match: Match, found: dict[int, Tally], times: int) -> None:
    record = json.loads(match.record.body) if _has_record(match) else {"deals": []}
    for seat in match.seats.all():
        tally = found.setdefault(seat.version_id or 0, Tally())
        tally.add_match(seat.index, seat.place or 0, seat.total or 0, times=times)
        if not seat.stood_in:  # a house bot declared some of them
            tally.add_deals(seat.index, record, times=times)


def _has_record(match: Match) -> bool:
    try:
        return bool(match.record.body)
    except MatchRecord.DoesNotExist:
        return False


def _write(pool: Pool, found: dict[int, Tally]) -> None:
    rows = {row.version_id: row for row in PlayTally.objects.filter(pool=pool, version__in=found)}
    for version, tally in found.items():
        row = rows.setdefault(version, PlayTally(pool=pool, version_id=version))
        sums = Tally.from_json(row.counts)
        sums.add(tally)
        row.counts = sums.to_json()
    PlayTally.objects.bulk_create(
        rows.values(), update_conflicts=True, unique_fields=["pool", "version"], update_fields=["counts"]
    )
