"""What came of an event, read from the records of its tables: people against bots, on the same cards, with intervals."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from games.models import Match
from ladder.events import scores
from ladder.events.models import Event, EventEntry, EventTable
from ladder.events.scores import Difference


@dataclass(frozen=True, slots=True)
class Line:
    """One person or team: ``points`` in their own seat, and their difference to bots in it."""

    alias: str
    team: int | None
    points: int
    difference: Difference


@dataclass(frozen=True, slots=True)
class Results:
    """The lines, the best first, and all people together against the bots."""

    lines: tuple[Line, ...]
    all: Difference

    def to_json(self) -> dict[str, Any]:
        """As kept at the publication: ``total``, ``margin`` (null below two parts), ``n``, ``verdict``."""
        return {
            "lines": [{**asdict(line), "difference": _plain(line.difference)} for line in self.lines],
            "all": _plain(self.all),
        }


def _plain(found: Difference) -> dict[str, Any]:
    return {**asdict(found), "verdict": found.verdict}


def results(event: Event) -> Results:
    """The results as they stand, from finished matches; deals that the organiser declared void count nowhere."""
    tables = list(
        EventTable.objects.filter(event=event, match__state=Match.State.FINISHED)
        .select_related("match__record", "block", "entry")
        .prefetch_related("block__void_deals", "match__seats")
        .order_by("pk")
    )
    if event.format == Event.Format.OPEN:
        parts = _open(tables)
    elif event.format == Event.Format.TEAM:
        parts = _team(event, tables)
    else:
        parts = _show(event, tables)
    lines = sorted(
        (
            Line(alias, team, points, scores.difference(each))
            for (alias, team), (points, each) in parts.items()
        ),
        key=lambda line: (-line.difference.total, line.alias),
    )
    everybody = [part for _, each in parts.values() for part in each]
    return Results(tuple(lines), scores.difference(everybody))


Parts = dict[tuple[str, int | None], tuple[int, list[float]]]
"""By alias and team: points, and the independent differences."""


def _record(table: EventTable) -> Mapping[str, Any]:
    record: Mapping[str, Any] = json.loads(table.match.record.body)
    return record


def scores_of(table: EventTable) -> list[tuple[int, ...]]:
    """By seat, the scores of each deal that was finished at a table; its ``match__record`` is there."""
    return scores.deal_scores(_record(table))


def _void(table: EventTable) -> frozenset[int]:
    assert table.block is not None
    return frozenset(deal.deal for deal in table.block.void_deals.all())


def _by_block(tables: Iterable[EventTable]) -> dict[int, list[EventTable]]:
    blocks: dict[int, list[EventTable]] = defaultdict(list)
    for table in tables:
        if table.block_id is not None:
            blocks[table.block_id].append(table)
    return blocks


def _open(tables: Iterable[EventTable]) -> Parts:
    """A block counts once the challenger has played it too."""
    parts: Parts = {}
    for pair in _by_block(tables).values():
        mine = next((table for table in pair if table.entry is not None), None)
        other = next((table for table in pair if table.entry is None), None)
        if mine is None or mine.entry is None or other is None:
            continue
        record, void = _record(mine), _void(mine)
        own = sum(
            deal[mine.seat] for number, deal in enumerate(scores.deal_scores(record), 1) if number not in void
        )
        points, each = parts.get((mine.entry.alias, None), (0, []))
        gained = scores.replayed(record, _record(other), mine.seat, void)
        parts[mine.entry.alias, None] = points + own, [*each, gained]
    return parts


def _team(event: Event, tables: Iterable[EventTable]) -> Parts:
    """A deal counts once all seats of it are played."""
    parts: Parts = {}
    for rotation in _by_block(tables).values():
        block = rotation[0].block
        if block is None or len(rotation) != event.players or _void(rotation[0]):
            continue
        records = [_record(table) for table in sorted(rotation, key=lambda table: table.seat)]
        if not all(scores.deal_scores(record) for record in records):
            continue
        own = sum(scores.deal_scores(record)[0][seat] for seat, record in enumerate(records))
        key = (f"Team {block.team}", block.team)
        points, each = parts.get(key, (0, []))
        parts[key] = points + own, [*each, scores.rotated(records)]
    return parts


def _show(event: Event, tables: Iterable[EventTable]) -> Parts:
    """A match counts with a person's points less the mean of the bots' at the table (or of all others there)."""
    aliases = set(EventEntry.objects.filter(event=event).values_list("alias", flat=True))
    parts: Parts = {}
    for table in tables:
        seats = list(table.match.seats.all())
        bots = [seat.total or 0 for seat in seats if seat.version_id is not None]
        for seat in seats:
            if seat.name not in aliases:
                continue
            others = bots or [other.total or 0 for other in seats if other.pk != seat.pk]
            points, each = parts.get((seat.name, None), (0, []))
            total = seat.total or 0
            parts[seat.name, None] = points + total, [*each, total - fmean(others)]
    return parts
