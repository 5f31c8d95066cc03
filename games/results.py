"""How an attempt at a match ends: finished, refused by a bot, lost by the service, checked, void, repeated.

Every verb here locks the match row, looks whether the attempt is still the match's own, and writes all of the
outcome in one transaction; a report of an attempt that lost its lease changes nothing (architecture.md).
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext

from botapi import faults as codes
from botapi import submissions
from botapi.drivers.base import STARVED
from botapi.errors import DomainError, PlatformError
from botapi.submissions import without_nul
from engine import EngineError
from engine.record import verify
from games import alarms, endings, forfeits, match_news, queue, result_rows
from games.models import Fault, Match, MatchAttempt, MatchRecord

logger = logging.getLogger(__name__)


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
        match = endings.held(match_id, attempt)
        if match is None:
            return False
        MatchRecord.objects.create(
            match=match,
            body=body,
            sha256=hashlib.sha256(body.encode()).hexdigest(),
            notes=result_rows.public_notes(result.logs),
            timings=dict(result.timings),
        )
        seats = result_rows.fill_seats(match, result.record, result.faults)
        result_rows.store_faults(match, result.faults)
        result_rows.store_logs(match, result.logs)
        match_news.tell_finished(match, seats)
        match.deals = len(result.record["deals"])
        match.decisions = result.decisions
        match.seconds = result.seconds
        match.end_reason = result.record["result"]["reason"]
        endings.end_attempt(match, MatchAttempt.Outcome.FINISHED)
        endings.end(match, Match.State.FINISHED)
        forfeits.note(match, [seat for seat in seats if seat.stood_in])
    return True


def finish_check(match_id: int, attempt: int, report: Mapping[str, Any], seconds: float = 0.0) -> bool:
    """Store what the check of a version found. False when the attempt is no longer the match's own."""
    with transaction.atomic():
        match = endings.held(match_id, attempt)
        if match is None:
            return False
        submissions.record_check(endings.checked_version(match), dict(report))
        match.seconds = seconds
        endings.end_attempt(match, MatchAttempt.Outcome.FINISHED)
        endings.end(match, Match.State.FINISHED)
    return True


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


# --- A match that did not begin ---------------------------------------------------------------------------


def refused(match_id: int, attempt: int, *, seat: int, code: str, message: str, stderr: str = "") -> bool:
    """A bot did not start, or said politely that it will not: no match, no loss, the match is void.

    ``code`` is ``start`` or ``refused``. The second ``start`` suspends the bot (protocol.md section 5).
    False when the attempt is no longer the match's own.
    """
    with transaction.atomic():
        match = endings.held(match_id, attempt)
        if match is None:
            return False
        row = match.seats.select_related("version__bot").get(index=seat)
        result_rows.store_logs(match, [{}] * seat + [{"stderr": stderr, "oddities": [message]}])
        if code == codes.START:
            Fault.objects.create(
                match=match, attempt=attempt, seat=seat, code=code, message=without_nul(message)
            )
        reason = f"{row.name} did not start" if code == codes.START else f"{row.name} refused: {message}"
        endings.end_attempt(match, MatchAttempt.Outcome.REFUSED, reason)
        endings.end(match, Match.State.VOID, reason)
        if code == codes.START:
            forfeits.note_start(row)
    return True


def infra_lost(match_id: int, attempt: int, cause: str) -> bool:
    """The service lost this attempt: queue the match again; after too many lost ones give up with an alarm.

    Nobody is charged. False when the attempt is no longer the match's own.
    """
    starved = cause.startswith(STARVED)
    with transaction.atomic():
        match = endings.held(match_id, attempt)
        if match is None:
            return False
        endings.end_attempt(
            match, MatchAttempt.Outcome.STARVED if starved else MatchAttempt.Outcome.INFRA_LOST, cause
        )
        starvations = endings.lost_so_far(match).filter(outcome=MatchAttempt.Outcome.STARVED).count()
        given_up = endings.lost_so_far(match).count() >= settings.MATCH_MAX_ATTEMPTS or (
            starved and starvations > 1
        )
        if given_up:
            endings.end(match, Match.State.FAILED, f"after {match.attempt} attempts: {cause}")
        else:
            endings.queue_again(match, cause)
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
        match = endings.held(match_id, attempt)
        if match is None:
            return False
        endings.end_attempt(match, MatchAttempt.Outcome.RETURNED, cause)
        endings.queue_again(match, cause)
    logger.info("match %s attempt %s given back: %s", match_id, attempt, cause)
    return True


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
        endings.end_attempt(match, MatchAttempt.Outcome.VOID, reason)
    if match.finished_at is None:
        endings.end(match, Match.State.VOID, reason)
    else:
        match.state = Match.State.VOID
        match.reason = reason[: endings.REASON_CHARS]
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
        endings.end_attempt(match, MatchAttempt.Outcome.INFRA_LOST, reason)
        endings.queue_again(match, reason)
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
