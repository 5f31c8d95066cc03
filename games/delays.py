"""What waits in the queue, since when, until about when, and why: in words that everybody may read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games import queue
from games.models import Match, MatchAttempt, Worker
from games.queries import matches
from games.reason_words import reason_words

LATE_AFTER: Final = timedelta(seconds=120)
"""A match that is not begun so long after it could have been is late."""
WORKER_GONE_AFTER: Final = timedelta(seconds=60)
"""A worker tells of itself every few seconds."""
LOOK_BACK: Final = timedelta(hours=1)
ENDED_LOOKED_AT: Final = 300
SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class Waiting:
    """A queued match: since when it could be played, about when it will be, how many go before it, and why.

    ``expected`` follows from how many matches its queue ended within the last hour; None when there was none.
    ``reason`` is a sentence, empty for one that waits for its date.
    """

    match: Match
    due_at: datetime
    expected: datetime | None
    ahead: int
    late: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Lane:
    """One of the two queues: whether somebody plays it, and how many matches it ends in an hour."""

    name: str
    an_hour: int
    problem: str
    order: dict[int, int]


def waiting(now: datetime) -> list[Waiting]:
    """Matches that wait, in the order in which they are begun; those with a date to come last. Checks are left out."""
    lanes = _lanes(now)
    found = [_waiting(match, lanes[queue.queue_name(waiting=match.waiting)], now) for match in _queued()]
    return sorted(found, key=lambda wait: (max(now, wait.due_at), wait.ahead))


def lanes(now: datetime) -> list[Lane]:
    """The queues: who plays them and how fast; ``order`` has a number of matches at most."""
    return list(_lanes(now).values())


def running() -> QuerySet[Match]:
    """Matches that are being played, the longest first. Checks are left out."""
    attempts = MatchAttempt.objects.filter(outcome=MatchAttempt.Outcome.RUNNING)
    playing = matches().filter(state=Match.State.RUNNING).order_by("started_at", "pk")
    return playing.prefetch_related(Prefetch("attempts", attempts))[:SHOWN]


def _queued() -> Sequence[Match]:
    return list(matches().filter(state=Match.State.QUEUED).order_by("pk")[:SHOWN])


def _waiting(match: Match, lane: Lane, now: datetime) -> Waiting:
    due_at = max(match.not_before or match.created_at, match.created_at)
    if match.not_before is not None and match.not_before > now:
        return Waiting(match, due_at, due_at, 0, bool(match.reason), reason_words(match.reason))
    due_at = min(due_at, now)  # one that was made a moment after `now` has no date to wait for
    ahead = lane.order.get(match.pk, 0)
    late = now - due_at > LATE_AFTER
    expected = None
    if lane.an_hour and not lane.problem:
        expected = now + LOOK_BACK * ((ahead + 1) / lane.an_hour)
    return Waiting(match, due_at, expected, ahead, late, _reason(match, lane, ahead))


def _reason(match: Match, lane: Lane, ahead: int) -> str:
    if lane.problem:
        return lane.problem
    if match.reason:
        return reason_words(match.reason)
    if ahead == 0:
        return _("It is next, and waits for a free worker.")
    return ngettext(
        "It waits for a free worker; %(n)d match goes before it.",
        "It waits for a free worker; %(n)d matches go before it.",
        ahead,
    ) % {"n": ahead}


def _lanes(now: datetime) -> dict[str, Lane]:
    workers = list(Worker.objects.values_list("queue", "healthy", "seen_at"))
    ended = Match.objects.filter(finish_seq__isnull=False).order_by("-finish_seq")
    latest = list(ended.values_list("waiting", "finished_at")[:ENDED_LOOKED_AT])
    lanes = {}
    for name in queue.QUEUES:
        mine = [(healthy, seen) for queues, healthy, seen in workers if name in queues.split(",")]
        lanes[name] = Lane(
            name=name,
            an_hour=sum(
                queue.queue_name(waiting=slow) == name and at is not None and at > now - LOOK_BACK
                for slow, at in latest
            ),
            problem=_problem(name, mine, now),
            order={pk: place for place, pk in enumerate(queue.order(name, most=10 * SHOWN))},
        )
    return lanes


def _problem(name: str, workers: Sequence[tuple[bool, datetime]], now: datetime) -> str:
    """Why nothing of this queue is played at all; empty when somebody plays."""
    waiting = name == queue.WAITING
    if not workers:
        if waiting:
            return _("No worker that plays matches with endpoints was ever started.")
        return _("No worker that plays matches of sandboxed bots was ever started.")
    there = [healthy for healthy, seen in workers if seen > now - WORKER_GONE_AFTER]
    if not there:
        return _unseen_for(
            int((now - max(seen for _healthy, seen in workers)).total_seconds() // 60), waiting=waiting
        )
    if any(there):
        return ""
    if waiting:
        return _(
            "The workers that play matches with endpoints find no safe sandbox and begin nothing until they do."
        )
    return _(
        "The workers that play matches of sandboxed bots find no safe sandbox and begin nothing until they do."
    )


def _unseen_for(minutes: int, *, waiting: bool) -> str:
    if waiting:
        words = ngettext(
            "No worker that plays matches with endpoints has been seen for %(n)d minute.",
            "No worker that plays matches with endpoints has been seen for %(n)d minutes.",
            minutes,
        )
    else:
        words = ngettext(
            "No worker that plays matches of sandboxed bots has been seen for %(n)d minute.",
            "No worker that plays matches of sandboxed bots has been seen for %(n)d minutes.",
            minutes,
        )
    return words % {"n": minutes}
