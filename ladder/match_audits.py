"""The audit of the queue: whether every match was played once, and is kept and rated as it was played."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Prefetch

from botapi import faults as codes
from engine import EngineError
from engine.record import verify
from games import queue
from games.models import Fault, Match, MatchAttempt, MatchRecord, Seat
from ladder.models import Pool, RatingEvent, UnratedMatch

CHUNK = 200


@dataclass(slots=True)
class Found:
    """What an audit counted, and in words what is not as it should be."""

    states: Counter[str] = field(default_factory=Counter)
    attempts: Counter[str] = field(default_factory=Counter)
    records: int = 0
    rated: int = 0
    faults: int = 0
    problems: list[str] = field(default_factory=list)


def audit_matches(*, since: datetime | None = None) -> Found:
    """Look at every match; with ``since`` a bot's fault after that moment is a problem too.

    Every finished match has one finished attempt, its last, and a record that verifies, says the same totals
    and was dealt from that attempt's seed, which follows from its series' secret; no other match has one; each
    rated one of a pool has one event.
    """
    found = Found()
    found.states.update(dict(Match.objects.order_by().values_list("state").annotate(Count("pk"))))
    found.attempts.update(dict(MatchAttempt.objects.order_by().values_list("outcome").annotate(Count("pk"))))
    for match in _finished():
        found.records += 1
        found.problems += [f"match {match.pk}: {problem}" for problem in _problems_of(match)]
    for match in Match.objects.filter(state=Match.State.FAILED):
        found.problems.append(f"match {match.pk} failed: {match.reason}")
    ended = (Match.State.FINISHED, Match.State.VOID)  # void may be one that was finished before
    for pk in MatchRecord.objects.exclude(match__state__in=ended).values_list("pk", flat=True):
        found.problems.append(f"match {pk} has a record and is not finished")
    for pool in Pool.objects.select_related("season"):
        found.rated += pool.events.filter(kind=RatingEvent.Kind.MATCH).count()
        found.problems += [f"match {pk} of {pool} is not rated" for pk in _without_rating(pool)]
    faults = Fault.objects.exclude(code=codes.LATE)
    if since is not None:
        faults = faults.filter(created_at__gte=since)
        found.problems += [f"{fault} counts as a bot's" for fault in faults[:CHUNK]]
    found.faults = faults.count()
    return found


def _finished() -> Iterator[Match]:
    seats = Seat.objects.select_related("version").order_by("index")
    matches = (
        Match.objects.filter(state=Match.State.FINISHED).select_related("record", "series").order_by("pk")
    )
    matches = matches.prefetch_related(Prefetch("seats", seats), "attempts")
    return matches.iterator(chunk_size=CHUNK)


def _problems_of(match: Match) -> Iterator[str]:
    finished = [one for one in match.attempts.all() if one.outcome == MatchAttempt.Outcome.FINISHED]
    if [one.number for one in finished] != [match.attempt]:
        yield f"attempts {[one.number for one in finished]} are finished, and it is at {match.attempt}"
        return
    if match.klass == Match.Class.CHECK:
        return
    stored = getattr(match, "record", None)
    if stored is None:
        yield "it is finished without a record"
        return
    if hashlib.sha256(stored.body.encode()).hexdigest() != stored.sha256:
        yield "its record is not the one that was hashed"
    record: dict[str, Any] = json.loads(stored.body)
    try:
        verify(record)
    except EngineError as error:
        yield f"its record does not verify: {error}"
        return
    seats = list(match.seats.all())
    said = {
        "the match": (record["match"], str(match.pk)),
        "the seed": (record["seed"], None if match.deal_of_id else queue.seed_of(match, match.attempt).hex()),
        "the seed's hash": (record["seed_sha256"], finished[0].seed_sha256 or None),
        "totals": (record["result"]["totals"], [seat.total for seat in seats]),
        "places": (record["result"]["places"], [seat.place for seat in seats]),
        "versions": (
            [seat["version"] for seat in record["seats"]],
            [str(seat.version.number) if seat.version else "" for seat in seats],
        ),
    }
    for what, (in_record, in_rows) in said.items():
        if in_record != in_rows:
            yield f"{what}: {in_record} in its record, {in_rows} in its rows"


def _without_rating(pool: Pool) -> list[int]:
    """Finished rated matches of a pool without an event, those that are noted as unratable left out."""
    events = RatingEvent.objects.filter(pool=pool, kind=RatingEvent.Kind.MATCH, match=OuterRef("pk"))
    noted = UnratedMatch.objects.filter(pool=pool, match=OuterRef("pk"))
    matches = Match.objects.filter(
        series=pool.season.series_id,
        rated=True,
        state=Match.State.FINISHED,
        rules_hash=pool.rules_hash,
        players=pool.players,
    )
    return list(matches.exclude(Exists(events)).exclude(Exists(noted)).values_list("pk", flat=True))
