"""Where an attempt and its match stand in the end: locked, ended, or queued again.

What :mod:`games.results` decides is written here, in its transaction, the match row held.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Final

from django.db import connection, transaction
from django.db.models import Max, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from botapi import submissions
from botapi.models import Version
from games import journal, queue, watching
from games.models import Match, MatchAttempt
from games.people_models import JournalEntry

FINISH_LOCK: Final = 0x1000_0001
"""Advisory lock that puts results in commit order."""
RETRY_PAUSES_S: Final = (0, 2, 10, 30)
"""Pause before the next attempt, by the number of attempts lost so far."""
REASON_CHARS: Final = 300


def held(match_id: int, attempt: int) -> Match | None:
    """The match, its row held until the transaction ends, if ``attempt`` is the one that may report."""
    return (
        Match.objects.select_for_update(of=("self",))
        .select_related("series")
        .filter(pk=match_id, attempt=attempt, state=Match.State.RUNNING)
        .first()
    )


def end(match: Match, state: Match.State, reason: str = "") -> None:
    """The match's last change of state; a check that found nothing goes back to be checked."""
    match.state = state
    match.reason = reason[:REASON_CHARS]
    match.lease_until = None
    match.finished_at = timezone.now()
    if state == Match.State.FINISHED:
        match.finish_seq = _next_finish_seq()
    match.save()
    if match.people:
        journal.interrupted(match.pk)
    if match.klass == Match.Class.CHECK and state != Match.State.FINISHED:
        submissions.give_back(checked_version(match))
    watching.changed(match)


def _next_finish_seq() -> int:
    """The next number in commit order: whoever takes it holds the lock until the commit, so it comes last."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [FINISH_LOCK])
    last: int | None = Match.objects.aggregate(last=Max("finish_seq"))["last"]
    return (last or 0) + 1


def end_attempt(match: Match, outcome: MatchAttempt.Outcome, cause: str = "") -> None:
    """How the latest attempt at the match ended, and why."""
    match.attempts.filter(number=match.attempt).update(
        outcome=outcome, cause=cause[:REASON_CHARS], ended_at=timezone.now()
    )


def lost_so_far(match: Match) -> QuerySet[MatchAttempt]:
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


def queue_again(match: Match, cause: str) -> None:
    """The match waits for its next attempt: the more attempts were lost, the longer."""
    pause = RETRY_PAUSES_S[max(0, min(lost_so_far(match).count(), len(RETRY_PAUSES_S)) - 1)]
    match.state = Match.State.QUEUED
    match.reason = f"will be repeated: {cause}"[:REASON_CHARS]
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


def checked_version(match: Match) -> Version:
    """The version that a match of the class check looks at."""
    version = match.seats.select_related("version__bot").get(index=0).version
    assert version is not None
    return version
