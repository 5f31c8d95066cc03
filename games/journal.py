"""The worker's verbs for tables with people: store what happened, ask, look for answers.

A decision is committed here before anybody is shown it, questions and answers are rows, and the next attempt at a
match goes on from them (architecture.md, "The flow of one match"). Each write is fenced by the attempt.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import BooleanField, Case, F, IntegerField, Q, Value, When
from django.db.models.functions import Now

from botapi import faults
from games import queue, streams
from games.models import Match, MatchRecord, Seat
from games.people_models import JournalEntry, TableSeat

AWAY_S: Final = 60
"""A person who was not seen for so long is played for by a house bot."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What a worker looks for at a person's seat; ``question`` is open, and ``answer`` not empty once it came.

    ``attempt`` is the match's own now, 0 where it is not being played; ``unseen``: for longer than AWAY_S.
    """

    match: int
    attempt: int
    seat: int
    question: int
    answer: str
    away: bool
    unseen: bool
    bot_ms: int
    trick_ms: int


def channel(match_id: int, seat: int) -> str:
    """Where a person's page hears that there is something new for their seat."""
    return f"table:{match_id}:{seat}"


def job_part(match: Match) -> dict[str, Any]:
    """What the job of a table with people has beyond others: journal, banks, who is away, pace, cards given."""
    entries = list(
        JournalEntry.objects.filter(match=match)
        .order_by("number")
        .values_list("seat", "action", "how", "bank_ms")
    )
    people = desks([match.pk])
    return {
        "journal": [(seat, action, how) for seat, action, how, _ in entries],
        "banks": {seat: bank_ms for seat, _, _, bank_ms in entries if bank_ms is not None},
        "away": [desk.seat for desk in people if desk.away],
        "pace": pace(people),
        "decks": _decks(match),
    }


def pace(people: Sequence[Desk]) -> dict[str, int]:
    """The pace of a table: as slow as the slowest of its people wants it."""
    return {
        "bot_ms": max(desk.bot_ms for desk in people),
        "trick_ms": max(desk.trick_ms for desk in people),
    }


def _decks(match: Match) -> list[list[str]]:
    if match.deal_of_id is None:
        return []
    record = json.loads(MatchRecord.objects.get(match=match.deal_of_id).body)
    return [record["deals"][match.deal_number]["deck"]]


@transaction.atomic
def store(match_id: int, attempt: int, event: Mapping[str, Any]) -> bool:
    """Write down a host's event ``acted``: the decision, and what each person's seat sees after it.

    False, and nothing changes, when the match is no longer this attempt's. Safe to repeat.
    """
    if not queue.renew(match_id, attempt, seconds=queue.lease_s(0), deal=event["deal"]):
        return False
    if "action" in event:
        entry = JournalEntry(
            match_id=match_id,
            number=event["number"],
            attempt=attempt,
            seat=event["seat"],
            action=event["action"],
            how=event["how"],
            bank_ms=event["bank_ms"],
        )
        JournalEntry.objects.bulk_create([entry], ignore_conflicts=True)
        if event["bank_ms"] is not None:
            _close_question(match_id, event["seat"], late=event["how"] == faults.TIMEOUT)
    for seat, shown in event["shown"].items():
        seats = TableSeat.objects.filter(seat__match=match_id, seat__index=int(seat))
        seats.update(version=F("version") + 1, **shown)
        tell(match_id, [int(seat)])
    return True


def _close_question(match_id: int, seat: int, *, late: bool) -> None:
    """The decision of a person's seat was taken; one whose time ran out is away until they come back."""
    closed: dict[str, Any] = {"legal": [], "answer": "", "deadline_at": None, "version": F("version") + 1}
    if late:
        closed["away"] = True
    TableSeat.objects.filter(seat__match=match_id, seat__index=seat).update(**closed)
    tell(match_id, [seat])


@transaction.atomic
def ask(match_id: int, attempt: int, event: Mapping[str, Any]) -> bool:
    """Open a host's ``question`` to a person's seat. An answer that came before a restart stays.

    False, and nothing changes, when the match is no longer this attempt's. Safe to repeat.
    """
    limit_ms, legal, number = event["limit_ms"], list(event["legal"]), event["number"]
    if not queue.renew(match_id, attempt, seconds=queue.lease_s(limit_ms), deal=event["view"]["deal"]):
        return False
    seats = TableSeat.objects.filter(seat__match=match_id, seat__index=event["seat"])
    answered = Q(question=number, legal=legal)
    seats.update(
        answer=Case(When(answered, then=F("answer")), default=Value("")),
        question=number,
        legal=legal,
        bank_ms=event["bank_ms"],
        deadline_at=Now() + timedelta(milliseconds=limit_ms),
        version=F("version") + 1,
    )
    tell(match_id, [event["seat"]])
    return True


def desks(matches: Iterable[int]) -> list[Desk]:
    """The people's seats of these matches, in one query."""
    unseen = Case(
        When(seen_at__lt=Now() - timedelta(seconds=AWAY_S), then=True),
        default=False,
        output_field=BooleanField(),
    )
    event = Q(seat__match__klass=Match.Class.EVENT)
    rows = TableSeat.objects.filter(seat__match__in=list(matches)).values_list(
        "seat__match",
        Case(
            When(seat__match__state=Match.State.RUNNING, then=F("seat__match__attempt")),
            default=0,
            output_field=IntegerField(),
        ),
        "seat__index",
        "question",
        "answer",
        "away",
        unseen,
        Case(
            When(event, then=Value(settings.EVENT_BOT_MS)),
            default=F("seat__person__bot_ms"),
            output_field=IntegerField(),
        ),
        Case(
            When(event, then=Value(settings.EVENT_TRICK_MS)),
            default=F("seat__person__trick_ms"),
            output_field=IntegerField(),
        ),
    )
    return [Desk(*row) for row in rows]


def mark_away(match_id: int, seat: int) -> None:
    """A house bot plays for the person of this seat until they come back."""
    seats = TableSeat.objects.filter(seat__match=match_id, seat__index=seat, away=False)
    if seats.update(away=True, version=F("version") + 1):
        tell(match_id, [seat])


@transaction.atomic
def stood_still(match_id: int, attempt: int, *, ms: int, lease_s: float) -> None:
    """Nobody could be heard for ``ms``: the deadlines of open questions, and the lease, are so much later."""
    own = Match.objects.filter(pk=match_id, attempt=attempt, state=Match.State.RUNNING)
    if own.update(lease_until=Now() + timedelta(seconds=lease_s)):
        open_ones = TableSeat.objects.filter(seat__match=match_id, deadline_at__isnull=False)
        open_ones.update(deadline_at=F("deadline_at") + timedelta(milliseconds=ms), version=F("version") + 1)
        tell(match_id, _people(match_id))


def interrupted(match_id: int) -> None:
    """The match waits for its next attempt, or has ended: what its pages show has changed."""
    TableSeat.objects.filter(seat__match=match_id).update(version=F("version") + 1)
    tell(match_id, _people(match_id))


def absences(match_id: int) -> dict[int, int]:
    """By seat of a person how many decisions a house bot or the clock took for them."""
    found: dict[int, int] = {}
    others = JournalEntry.objects.filter(match=match_id, bank_ms__isnull=False).exclude(how="")
    for seat in others.values_list("seat", flat=True):
        found[seat] = found.get(seat, 0) + 1
    return found


def tell(match_id: int, seats: Iterable[int]) -> None:
    """Have the pages of these seats look again, once what was written is there. Others learn nothing of it."""
    for seat in seats:
        streams.publish_on_commit(channel(match_id, seat), {"match": match_id})


def _people(match_id: int) -> list[int]:
    return list(Seat.objects.filter(match=match_id, person__isnull=False).values_list("index", flat=True))
