"""Reads of matches for pages and API. What is open, or shares a block with an open table, stays hidden."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.utils import timezone

from botapi.models import User
from games.models import Fault, Match, MatchAttempt, Seat, SeatLog, Series, Worker
from games.queue import OPEN_STATES, cards_stay_secret


@dataclass(frozen=True, slots=True)
class PublicRecord:
    """A record that everybody may see, with what is kept beside it."""

    body: str
    sha256: str
    notes: list[dict[str, Any]]
    timings: dict[str, Any]


def matches() -> QuerySet[Match]:
    """All matches but checks, which are between an author and the service; with seats, bots and series."""
    seats = Seat.objects.select_related("version__bot").defer("version__check_report").order_by("index")
    played = Match.objects.exclude(klass=Match.Class.CHECK).exclude(
        klass=Match.Class.EVENT,
        series__closed_at=None,  # an event tells nothing before its publication
    )
    return played.select_related("series").prefetch_related(Prefetch("seats", queryset=seats))


def match_details() -> QuerySet[Match]:
    """As :func:`matches`, with attempts (public with their causes) and faults (code and place only)."""
    faults = Fault.objects.only("match", "attempt", "seat", "code", "deal", "action").order_by("pk")
    attempts = MatchAttempt.objects.order_by("number")
    return (
        matches()
        .select_related("record")
        .prefetch_related(Prefetch("attempts", queryset=attempts), Prefetch("faults", queryset=faults))
    )


def is_withheld(match: Match) -> bool:
    """Whether the match's seed, record, notes and logs are still secret (architecture.md, "Seeds")."""
    return match.state in OPEN_STATES or cards_stay_secret(match)


def public_record(match: Match) -> PublicRecord | None:
    """The record of a match that was played to its end; None while it is withheld or where there is none."""
    if is_withheld(match):
        return None
    row = getattr(match, "record", None)
    return PublicRecord(row.body, row.sha256, row.notes, row.timings) if row else None


def bots_environment() -> dict[str, Any]:
    """What sandboxed bots run on now, as the worker that was seen last tells it; empty while none has."""
    told = Worker.objects.filter(healthy=True).exclude(environment={}).order_by("-seen_at")
    return told.values_list("environment", flat=True).first() or {}


def workers_since(moment: datetime) -> list[dict[str, Any]]:
    """Workers that were seen after ``moment``, without their names: queue, backend, whether they can play."""
    found = Worker.objects.filter(seen_at__gt=moment).order_by("queue", "name")
    return [dict(row) for row in found.values("queue", "backend", "healthy")]


def failed_since(moment: datetime) -> int:
    """How many matches ended for want of attempts after ``moment`` and were not dealt with."""
    return Match.objects.filter(state=Match.State.FAILED, finished_at__gt=moment).count()


def series_list() -> QuerySet[Series]:
    """Series, the newest first."""
    return Series.objects.order_by("-pk")


def public_secret(series: Series) -> str | None:
    """The secret (hex) of a series once it is revealed; its SHA-256 is public from the start."""
    if series.revealed_at is None:
        return None
    return bytes(series.secret).hex()


def test_matches_of(user: User) -> QuerySet[Match]:
    """Test matches that a person asked for."""
    return matches().filter(klass=Match.Class.TEST, requested_by=user)


def test_matches_today(user: User) -> int:
    """How many of a person's test matches were asked for in the last 24 hours."""
    since = timezone.now() - timedelta(days=1)
    return Match.objects.filter(klass=Match.Class.TEST, requested_by=user, created_at__gt=since).count()


def readable_logs(user: User, match: Match) -> QuerySet[SeatLog]:
    """The private logs of a match that ``user`` may read: an operator all, an author those of own bots.

    None of them before the match, and each table that shares its cards, is over.
    """
    logs = SeatLog.objects.filter(match=match).order_by("attempt", "seat")
    if is_withheld(match):
        return logs.none()
    if user.is_staff:
        return logs
    own = Seat.objects.filter(match=match, version__bot__owner=user).values("index")
    return logs.filter(seat__in=own)


def turns_of(log: SeatLog) -> list[dict[str, Any]]:
    """The turns of a private log: request, answer, verdict and times each."""
    turns: list[dict[str, Any]] = json.loads(zlib.decompress(bytes(log.turns))) if log.turns else []
    return turns


def fault_messages(log: SeatLog) -> QuerySet[Fault]:
    """The faults of a log's seat in its attempt, with what was sent and what came."""
    return Fault.objects.filter(match=log.match_id, attempt=log.attempt, seat=log.seat).order_by("pk")
