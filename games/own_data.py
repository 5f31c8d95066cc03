"""What this package holds of a person, as files for the person: seats of bots and of the person, private logs, looks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from django.db.models import F, Q, QuerySet

from botapi.models import User
from botapi.own_data import File, as_json
from games import queries
from games.models import LogLook, Match, Seat, SeatLog
from games.people_models import JournalEntry, Person
from games.queue import OPEN_STATES

MATCHES_A_FILE: Final = 2000
NEWEST_LOGS: Final = 2000
"""Logs are many and large: the newest are exported."""


def export_of(user: User) -> Iterator[File]:
    """Everything of ``user`` here, one file after the other; of matches whose cards are still secret only the seat."""
    person = Person.objects.filter(user=user).first()
    if person is not None:
        fields = ("alias", "bot_ms", "trick_ms", "created_at")
        yield "player.json", as_json({name: getattr(person, name) for name in fields})
        yield from _in_files("games", _seats(Q(person=person)))
        yield "decisions.ndjson", _lines(_decisions(person))
    # under which alias a bot sits in an event is told to nobody before the event's secret is
    told = ~Q(match__klass=Match.Class.EVENT, match__series__revealed_at=None)
    yield from _in_files("matches", _seats(Q(version__bot__owner=user) & told))
    asked = Match.objects.filter(requested_by=user).order_by("pk")
    yield "asked-for.ndjson", _lines(asked.values("pk", "klass", "rules_name", "state", "created_at"))
    looks = LogLook.objects.filter(
        Q(user=user) | Q(log__match__seats__version__bot__owner=user, log__seat=F("log__match__seats__index"))
    )
    yield (
        "looks-into-logs.json",
        as_json(
            [
                {
                    "match": look.log.match_id,
                    "seat": look.log.seat,
                    "at": look.at,
                    "by": "you" if look.user_id == user.pk else "an operator",
                }
                for look in looks.select_related("log").order_by("pk").distinct()
            ]
        ),
    )
    yield from _logs(user)


def _seats(whose: Q) -> QuerySet[Seat, Any]:
    fields = ("match", "index", "name", "version__number", "total", "place", "stood_in", "faults")
    more = ("match__klass", "match__rules_name", "match__rated", "match__state", "match__finished_at")
    found: QuerySet[Seat, Any] = Seat.objects.filter(whose).order_by("match", "index").values(*fields, *more)
    return found


def _decisions(person: Person) -> QuerySet[JournalEntry, Any]:
    own = JournalEntry.objects.filter(match__seats__person=person, match__seats__index=F("seat"))
    return own.order_by("match", "number").values("match", "number", "seat", "action", "how", "at")


def _in_files(name: str, rows: QuerySet[Seat, Any]) -> Iterator[File]:
    lines: list[dict[str, Any]] = []
    number = 1
    for row in rows.iterator(MATCHES_A_FILE):
        lines.append(row)
        if len(lines) == MATCHES_A_FILE:
            yield f"{name}/{number}.ndjson", _lines(lines)
            lines, number = [], number + 1
    if lines:
        yield f"{name}/{number}.ndjson", _lines(lines)


def _lines(rows: Any) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows).encode()


def _logs(user: User) -> Iterator[File]:
    """Private logs of the person's bots, each as it is kept, but those of matches whose cards are still secret."""
    own = SeatLog.objects.filter(match__seats__version__bot__owner=user, match__seats__index=F("seat"))
    newest = (
        own.exclude(match__state__in=OPEN_STATES).order_by("-pk").values_list("pk", flat=True)[:NEWEST_LOGS]
    )
    for pk in list(newest):
        log = SeatLog.objects.select_related("match").filter(pk=pk).first()
        if log is None or queries.is_withheld(log.match):
            continue
        told = [fault.message for fault in queries.fault_messages(log)]
        body = {
            "turns": queries.turns_of(log),
            "stderr": log.stderr,
            "oddities": log.oddities,
            "faults": told,
        }
        yield f"logs/match-{log.match_id}-seat-{log.seat}-attempt-{log.attempt}.json", as_json(body)
