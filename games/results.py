"""How an attempt at a match ends: finished, refused by a bot, lost by the service, checked, void, repeated.

Every verb here locks the match row, looks whether the attempt is still the match's own, and writes all of the
outcome in one transaction; a report of an attempt that lost its lease changes nothing (architecture.md).
"""

from __future__ import annotations

import hashlib
import json
import logging
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext

from botapi import faults as codes
from botapi import submissions
from botapi.drivers.base import STARVED
from botapi.errors import DomainError, PlatformError
from botapi.models import Version
from botapi.submissions import without_nul
from engine import EngineError
from engine.record import verify
from games import alarms, forfeits, journal, queue, watching
from games.models import Fault, JournalEntry, Match, MatchAttempt, MatchRecord, Seat, SeatLog

logger = logging.getLogger(__name__)

FINISH_LOCK: Final = 0x1000_0001
"""Advisory lock that puts results in commit order."""
RETRY_PAUSES_S: Final = (0, 2, 10, 30)
"""Pause before the next attempt, by the number of attempts lost so far."""
REASON_CHARS: Final = 300
NO_TURNS: Final = b"[]"
COMPRESSION: Final = 1
"""A log shrinks to a tenth at the fastest level; the slow ones gain little and take longer than the match."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a host reports of a finished match: its event ``finished``, without the address.

    A log holds ``turns`` (JSON bytes), ``stderr``, ``notes`` (public) and ``oddities``.
    """

    record: Mapping[str, Any]
    faults: Sequence[Mapping[str, Any]] = ()
    logs: Sequence[Mapping[str, Any]] = ()
    timings: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    decisions: int = 0


# --- A match that was played ------------------------------------------------------------------------------


def finish(match_id: int, attempt: int, result: Result) -> bool:
    """Store a finished match: record, faults, logs and end state in one transaction, once.

    False, and nothing changes, when the attempt is no longer the match's own. Raises PlatformError when the
    record does not verify or is another match's: the attempt should be given up as lost.
    """
    _verify(match_id, attempt, result.record)
    body = json.dumps(result.record, ensure_ascii=False, separators=(",", ":"))
    with transaction.atomic():
        match = _own(match_id, attempt)
        if match is None:
            return False
        MatchRecord.objects.create(
            match=match,
            body=body,
            sha256=hashlib.sha256(body.encode()).hexdigest(),
            notes=_public_notes(result.logs),
            timings=dict(result.timings),
        )
        seats = _fill_seats(match, result)
        _store_faults(match, result.faults)
        _store_logs(match, result.logs)
        match.deals = len(result.record["deals"])
        match.decisions = result.decisions
        match.seconds = result.seconds
        match.end_reason = result.record["result"]["reason"]
        _end_attempt(match, MatchAttempt.Outcome.FINISHED)
        _end(match, Match.State.FINISHED)
        forfeits.note(match, [seat for seat in seats if seat.stood_in])
    return True


def finish_check(match_id: int, attempt: int, report: Mapping[str, Any], seconds: float = 0.0) -> bool:
    """Store what the check of a version found. False when the attempt is no longer the match's own."""
    with transaction.atomic():
        match = _own(match_id, attempt)
        if match is None:
            return False
        submissions.record_check(_checked_version(match), dict(report))
        match.seconds = seconds
        _end_attempt(match, MatchAttempt.Outcome.FINISHED)
        _end(match, Match.State.FINISHED)
    return True


# --- A match that did not begin ---------------------------------------------------------------------------


def refused(match_id: int, attempt: int, *, seat: int, code: str, message: str, stderr: str = "") -> bool:
    """A bot did not start, or said politely that it will not: no match, no loss, the match is void.

    ``code`` is ``start`` or ``refused``. The second ``start`` suspends the bot (protocol.md section 5).
    False when the attempt is no longer the match's own.
    """
    with transaction.atomic():
        match = _own(match_id, attempt)
        if match is None:
            return False
        row = match.seats.select_related("version__bot").get(index=seat)
        _store_logs(match, [{}] * seat + [{"stderr": stderr, "oddities": [message]}])
        if code == codes.START:
            Fault.objects.create(
                match=match, attempt=attempt, seat=seat, code=code, message=without_nul(message)
            )
        reason = f"{row.name} did not start" if code == codes.START else f"{row.name} refused: {message}"
        _end_attempt(match, MatchAttempt.Outcome.REFUSED, reason)
        _end(match, Match.State.VOID, reason)
        if code == codes.START:
            forfeits.note_start(row)
    return True


def infra_lost(match_id: int, attempt: int, cause: str) -> bool:
    """The service lost this attempt: queue the match again; after too many lost ones give up with an alarm.

    Nobody is charged. False when the attempt is no longer the match's own.
    """
    starved = cause.startswith(STARVED)
    with transaction.atomic():
        match = _own(match_id, attempt)
        if match is None:
            return False
        _end_attempt(
            match, MatchAttempt.Outcome.STARVED if starved else MatchAttempt.Outcome.INFRA_LOST, cause
        )
        starvations = _lost_so_far(match).filter(outcome=MatchAttempt.Outcome.STARVED).count()
        given_up = _lost_so_far(match).count() >= settings.MATCH_MAX_ATTEMPTS or (starved and starvations > 1)
        if given_up:
            _end(match, Match.State.FAILED, f"after {match.attempt} attempts: {cause}")
        else:
            _queue_again(match, cause)
    logger.warning("match %s attempt %s lost: %s", match_id, attempt, cause)
    if given_up:  # once it is committed: a mail server must not hold up the row
        alarms.alarm(
            f"match {match_id} failed",
            f"Match {match_id} is not played any more: {attempt} attempts were lost, the last one: {cause}. "
            "Nobody was charged. Repeat it in the admin site when the cause is mended.",
        )
    return True


def give_back(match_id: int, attempt: int, cause: str) -> bool:
    """A worker that was told to end hands the match to the next one: no attempt counts as lost.

    False when the attempt is no longer the match's own.
    """
    with transaction.atomic():
        match = _own(match_id, attempt)
        if match is None:
            return False
        _end_attempt(match, MatchAttempt.Outcome.RETURNED, cause)
        _queue_again(match, cause)
    logger.info("match %s attempt %s given back: %s", match_id, attempt, cause)
    return True


def _lost_so_far(match: Match) -> QuerySet[MatchAttempt]:
    """The attempts that the service lost; those given back in order are none of them.

    At a table with people, where the next attempt goes on, it counts from the last one that brought the game further.
    """
    lost = (MatchAttempt.Outcome.INFRA_LOST, MatchAttempt.Outcome.STARVED)
    attempts = match.attempts.filter(outcome__in=lost)
    if match.people:
        further = (
            JournalEntry.objects.filter(match=match).order_by("-number").values_list("attempt", flat=True)
        )
        attempts = attempts.filter(number__gt=further.first() or 0)
    return attempts


def _queue_again(match: Match, cause: str) -> None:
    pause = RETRY_PAUSES_S[max(0, min(_lost_so_far(match).count(), len(RETRY_PAUSES_S)) - 1)]
    match.state = Match.State.QUEUED
    match.reason = _short(f"will be repeated: {cause}")
    match.lease_until = None
    match.worker = ""
    match.save(update_fields=["state", "reason", "lease_until", "worker"])
    Match.objects.filter(pk=match.pk).update(  # by the database's clock: a worker's may be wrong
        not_before=Now() + timedelta(seconds=pause) if pause else None, woken_at=None if pause else Now()
    )
    match.refresh_from_db(fields=["not_before", "woken_at"])
    if match.people:
        journal.interrupted(match.pk)
    if not pause:
        transaction.on_commit(partial(queue.wake, match.pk, waiting=match.waiting))
    watching.changed(match)


# --- What operators do ------------------------------------------------------------------------------------


@transaction.atomic
def void(match: Match, *, reason: str) -> Match:
    """Declare a match void: an open one is not played; the ladder withdraws the rating of a finished one.

    Raises DomainError ``void_already``.
    """
    match = Match.objects.select_for_update().get(pk=match.pk)
    if match.state == Match.State.VOID:
        raise DomainError(
            "void_already", gettext("Match %(match)s is void already.") % {"match": match.pk}, 409
        )
    if match.state == Match.State.RUNNING:
        _end_attempt(match, MatchAttempt.Outcome.VOID, reason)
    if match.finished_at is None:
        _end(match, Match.State.VOID, reason)
    else:
        match.state = Match.State.VOID
        match.reason = _short(reason)
        match.save(update_fields=["state", "reason"])
    return match


@transaction.atomic
def repeat(match: Match, *, reason: str) -> Match:
    """Play a match again: a running one loses its attempt; one that ended is void and a new one replaces it.

    The new one belongs to the duplicate block only while another table of it is open: afterwards the block's
    seed is public, and nobody may be dealt cards that are. Returns the match that will be played. Raises
    DomainError ``queued_already``.
    """
    match = Match.objects.select_for_update().select_related("series").get(pk=match.pk)
    if match.state == Match.State.QUEUED:
        raise DomainError(
            "queued_already", gettext("Match %(match)s is queued already.") % {"match": match.pk}, 409
        )
    if match.state == Match.State.RUNNING:
        _end_attempt(match, MatchAttempt.Outcome.INFRA_LOST, reason)
        _queue_again(match, reason)
        return match
    if match.klass == Match.Class.CHECK:
        raise DomainError("not_repeatable", gettext("A version is checked again by submitting it."), 409)
    if match.klass == Match.Class.EVENT and match.series.closed_at is None:
        message = gettext("Declare it void: its event plays it again by itself.")
        raise DomainError("not_repeatable", message, 409)
    if match.people:
        raise DomainError("not_repeatable", gettext("People start another table themselves."), 409)
    if match.state == Match.State.FINISHED:
        void(match, reason=reason)
    seats = [seat.version for seat in match.seats.select_related("version__bot") if seat.version is not None]
    return queue.enqueue(
        series=match.series,
        klass=match.klass,
        rules=match.rules,
        clocks=match.clocks,
        seats=seats,
        rated=match.rated,
        block=match.block if queue.block_is_open_elsewhere(match) else None,
        rotation=match.rotation,
        requested_by=match.requested_by,
    )


# --- Parts ------------------------------------------------------------------------------------------------


def _own(match_id: int, attempt: int) -> Match | None:
    """The match, locked, if ``attempt`` is the one that may report."""
    return (
        Match.objects.select_for_update(of=("self",))
        .select_related("series")
        .filter(pk=match_id, attempt=attempt, state=Match.State.RUNNING)
        .first()
    )


def _verify(match_id: int, attempt: int, record: Mapping[str, Any]) -> None:
    """Re-play the record and compare it with what this attempt was asked to play."""
    match = Match.objects.select_related("series").filter(pk=match_id).first()
    if match is None:
        return
    try:
        verify(dict(record))
    except EngineError as error:
        raise PlatformError(f"the record does not verify: {error}") from error
    told = MatchAttempt.objects.filter(match=match_id, number=attempt).values_list("seed_sha256", flat=True)
    seats = list(match.seats.order_by("index").values_list("name", "version__number"))
    expected = {
        "match": str(match_id),
        "rules": match.rules,
        # A deal played again has no seed; all others must show theirs, for only then their decks were checked.
        "seed": None if match.deal_of_id else queue.seed_of(match, attempt).hex(),
        "seed_sha256": told.first() or None,
        "names": [name for name, _ in seats],
        "versions": ["" if version is None else str(version) for _, version in seats],
    }
    found = {
        "match": record["match"],
        "rules": record["rules"],
        "seed": record["seed"],
        "seed_sha256": record["seed_sha256"],
        "names": [seat["name"] for seat in record["seats"]],
        "versions": [seat["version"] for seat in record["seats"]],
    }
    wrong = [key for key, value in expected.items() if found[key] != value]
    if wrong:
        raise PlatformError(f"the record is of another match: {', '.join(wrong)} differ")


def _end(match: Match, state: Match.State, reason: str = "") -> None:
    """The match's last change of state; a check that found nothing goes back to be checked."""
    match.state = state
    match.reason = _short(reason)
    match.lease_until = None
    match.finished_at = timezone.now()
    if state == Match.State.FINISHED:
        match.finish_seq = _next_finish_seq()
    match.save()
    if match.people:
        journal.interrupted(match.pk)
    if match.klass == Match.Class.CHECK and state != Match.State.FINISHED:
        submissions.give_back(_checked_version(match))
    watching.changed(match)


def _next_finish_seq() -> int:
    """The next number in commit order: whoever takes it holds the lock until the commit, so it comes last."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [FINISH_LOCK])
    last: int | None = Match.objects.aggregate(last=Max("finish_seq"))["last"]
    return (last or 0) + 1


def _end_attempt(match: Match, outcome: MatchAttempt.Outcome, cause: str = "") -> None:
    match.attempts.filter(number=match.attempt).update(
        outcome=outcome, cause=_short(cause), ended_at=timezone.now()
    )


def _checked_version(match: Match) -> Version:
    version = match.seats.select_related("version__bot").get(index=0).version
    assert version is not None
    return version


def _fill_seats(match: Match, result: Result) -> list[Seat]:
    seats = list(match.seats.select_related("version__bot").order_by("index"))
    for seat in seats:
        fill_seat(seat, result.record)
        seat.faults = sum(
            fault["seat"] == seat.index and fault["code"] != codes.LATE for fault in result.faults
        )
    Seat.objects.bulk_update(
        seats, ["total", "rank", "place", "stood_in", "absences", "faults", "deals_declared", "deals_made"]
    )
    return seats


def fill_seat(seat: Seat, record: Mapping[str, Any]) -> None:
    """Write into ``seat`` (unsaved) what the record of its match says of it."""
    outcome = record["result"]
    seat.total = outcome["totals"][seat.index]
    seat.rank = outcome["ranks"][seat.index]
    seat.place = outcome["places"][seat.index]
    seat.stood_in = any(entry["seat"] == seat.index for entry in record["stand_ins"])
    declared = [deal for deal in record["deals"] if deal["declarer"] == seat.index]
    seat.deals_declared = len(declared)
    seat.deals_made = sum(_made(deal, seat.index) for deal in declared)


def _made(deal: Mapping[str, Any], seat: int) -> bool:
    """Whether the declarer reached the contract, by unrounded points (R20); a conceded deal was not made."""
    return deal["contract"] is not None and deal["points"][seat] >= deal["contract"]


def _store_faults(match: Match, found: Sequence[Mapping[str, Any]]) -> None:
    Fault.objects.bulk_create(
        Fault(
            match=match,
            attempt=match.attempt,
            seat=fault["seat"],
            code=fault["code"],
            detail=_short(without_nul(fault.get("detail", ""))),
            deal=fault.get("deal", 0),
            action=fault.get("action", 0),
            message=_fault_message(fault),
        )
        for fault in found
    )


def _fault_message(fault: Mapping[str, Any]) -> str:
    """What happened, the failing request and the answer, for the author alone."""
    request = json.dumps(fault.get("request"), ensure_ascii=False)
    text = f"{fault.get('message', '')}\n\nRequest: {request}\n\nAnswer: {fault.get('answer', '')}"
    return str(without_nul(text))


def _store_logs(match: Match, logs: Sequence[Mapping[str, Any]]) -> None:
    """The private logs of the seats that have one; a house bot has none."""
    SeatLog.objects.bulk_create(
        SeatLog(
            match=match,
            attempt=match.attempt,
            seat=index,
            turns=zlib.compress(log.get("turns", NO_TURNS), COMPRESSION),
            stderr=without_nul(log.get("stderr", "")),
            oddities=without_nul(log.get("oddities", [])),
        )
        for index, log in enumerate(logs)
        if log.get("turns", NO_TURNS) != NO_TURNS or log.get("stderr") or log.get("oddities")
    )


def _public_notes(logs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"seat": seat, **without_nul(note)} for seat, log in enumerate(logs) for note in log.get("notes", [])
    ]


def _short(text: str) -> str:
    return text[:REASON_CHARS]
