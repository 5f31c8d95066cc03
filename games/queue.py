"""The queue of matches in PostgreSQL: enqueue, claim, renew, and which match is next (architecture.md).

All truth is in the rows; Celery carries wake-ups that may be lost or doubled. Time is the database's, so
workers with wrong clocks do not matter.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Now
from django.utils import timezone
from django.utils.translation import gettext
from kombu.exceptions import OperationalError as BrokerError
from redis.exceptions import RedisError

from botapi import wake_ups
from botapi.errors import DomainError
from botapi.models import Bot, User, Version
from engine import RuleSet
from games import processes, seeds, shares, watching
from games.models import Match, MatchAttempt, Seat, Series
from games.people_models import Person, TableSeat

logger = logging.getLogger(__name__)

OPEN_STATES: Final = (Match.State.QUEUED, Match.State.RUNNING)
CPU: Final = "cpu"
WAITING: Final = "waiting"
QUEUES: Final = (CPU, WAITING)

ATTEMPTS_LOOKED_AT: Final = 10 * shares.LOOK_BACK
"""Attempts of both queues among which those of one are looked for."""

BROKER_AWAY: Final = (BrokerError, RedisError, OSError)
QUESTION_MARGIN_S: Final = 15
"""An open question renews the lease to its own deadline and this much more."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A match that is this worker's for as long as it renews the lease; ``attempt`` is the fencing token.

    ``alone``: it repeats one for which the machine was too slow, in a slot of its own and with longer limits
    (protocol.md section 5).
    """

    match: Match
    attempt: int
    seed: bytes
    alone: bool


def open_series(kind: Series.Kind, name: str) -> Series:
    """The series of this name, made with a fresh committed secret if it does not exist."""
    secret = secrets.token_bytes(32)
    series, _ = Series.objects.get_or_create(
        name=name,
        defaults={
            "kind": kind,
            "secret": secret,
            "secret_sha256": hashlib.sha256(secret).hexdigest(),
        },
    )
    return series


def seed_of(match: Match, attempt: int) -> bytes:
    """The 32 bytes from which attempt ``attempt`` (from 1) of ``match`` is dealt (architecture.md, "Seeds").

    All tables of a duplicate block share theirs, whatever the attempt; a table with a person keeps its first one.
    """
    message = seeds.message_of(number=match.number, attempt=attempt, block=match.block, people=match.people)
    return seeds.derived(bytes(match.series.secret), message)


def block_is_open_elsewhere(match: Match) -> bool:
    """Whether another table of the match's duplicate block is still queued or running."""
    if match.block is None:
        return False
    tables = Match.objects.filter(series=match.series_id, block=match.block, state__in=OPEN_STATES)
    return tables.exclude(pk=match.pk).exists()


def cards_stay_secret(match: Match) -> bool:
    """Whether the match's cards are a secret even once it is over: others meet them, or may until its event is published.

    The challenger of an event meets the cards of a person's table later, and a record says who is a bot.
    """
    unpublished = match.klass == Match.Class.EVENT and match.series.closed_at is None
    return unpublished or block_is_open_elsewhere(match)


@transaction.atomic
def enqueue(  # noqa: PLR0913 - a match has that many independent properties
    *,
    series: Series,
    klass: Match.Class | str,
    rules: RuleSet | Mapping[str, Any],
    clocks: Mapping[str, int],
    seats: Sequence[Version | Person],
    rated: bool,
    block: int | None = None,
    rotation: int = 0,
    not_before: datetime | None = None,
    requested_by: User | None = None,
    deal_of: tuple[Match, int] | None = None,
    names: Sequence[str] = (),
) -> Match:
    """Queue a match of ``seats`` (in table order) and send a wake-up once the transaction commits.

    Seats are bots' versions and people; ``deal_of`` is a deal (from 0) of a finished match to be played again.
    ``names`` are aliases by seat, instead of the bots' and people's own names.

    ``rules`` is a RuleSet or its record form; ``clocks`` holds act_ms, bank_ms, hard_ms, start_ms. A check
    has one seat. Raises RuleSetError for impossible rules, ValueError when the seats do not fit them.
    """
    ruleset = rules if isinstance(rules, RuleSet) else RuleSet.from_json(dict(rules))
    expected = 1 if klass == Match.Class.CHECK else ruleset.players
    if len(seats) != expected:
        raise ValueError(f"{len(seats)} seats for a table of {expected}")
    locked = Series.objects.select_for_update().get(pk=series.pk)
    if locked.revealed_at is not None:
        raise DomainError(
            "series_revealed",
            gettext("The secret of %(name)s is public: no match can be added.") % {"name": locked.name},
            409,
        )
    match = Match.objects.create(
        series=locked,
        number=locked.next_number,
        klass=klass,
        rated=rated,
        rules=ruleset.to_json(),
        rules_name=ruleset.name,
        rules_hash=ruleset.hash,
        players=ruleset.players,
        clocks=dict(clocks),
        block=block,
        rotation=rotation,
        waiting=any(isinstance(seat, Person) or seat.bot.kind == Bot.Kind.HTTP for seat in seats),
        people=any(isinstance(seat, Person) for seat in seats),
        deal_of=deal_of[0] if deal_of else None,
        deal_number=deal_of[1] if deal_of else None,
        not_before=not_before,
        requested_by=requested_by,
        woken_at=Now() if not_before is None else None,  # the database's clock: this process's may be wrong
    )
    match.refresh_from_db(fields=["woken_at"])
    Series.objects.filter(pk=locked.pk).update(next_number=F("next_number") + 1)
    made = Seat.objects.bulk_create(
        Seat(match=match, index=index, person=seat, name=name)
        if isinstance(seat, Person)
        else Seat(match=match, index=index, version=seat, name=name)
        for index, (seat, name) in enumerate(zip(seats, names or map(_own_name, seats), strict=True))
    )
    now = timezone.now()
    TableSeat.objects.bulk_create(TableSeat(seat=seat, seen_at=now) for seat in made if seat.person_id)
    if not_before is None:
        transaction.on_commit(partial(wake, match.pk, waiting=match.waiting))
    watching.changed(match)
    return match


@transaction.atomic
def postpone(match_id: int, *, not_before: datetime) -> bool:
    """Let a queued match that no worker has begun yet wait until then; False when it has begun or is over."""
    fresh = Match.objects.select_for_update(of=("self",)).filter(
        pk=match_id, state=Match.State.QUEUED, attempt=0
    )
    match = fresh.first()
    if match is None:
        return False
    match.not_before, match.woken_at = not_before, None  # the watchdog wakes it when it is due
    match.save(update_fields=["not_before", "woken_at"])
    watching.changed(match)
    return True


def _own_name(seat: Version | Person) -> str:
    return seat.alias if isinstance(seat, Person) else seat.bot.name


def queue_name(*, waiting: bool) -> str:
    """The Celery queue whose workers play such a match."""
    return WAITING if waiting else CPU


def wake(match_id: int, *, waiting: bool) -> bool:
    """Tell a worker that the match is there. False without a broker: the watchdog will send it again."""
    name = queue_name(waiting=waiting)
    try:
        wake_ups.send(f"games.play_{name}", match_id, queue=name)
    except BROKER_AWAY as error:
        logger.warning("no wake-up for match %s: %s", match_id, error)
        return False
    return True


def due(queue: str) -> QuerySet[Match]:
    """Queued matches that a worker of ``queue`` may begin now: by class, the one whose turn it is first."""
    turn = Case(
        *(
            When(klass=klass, then=Value(place))
            for place, klass in enumerate(shares.classes_in_turn(_begun(queue)))
        )
    )
    return _due(queue).annotate(turn=turn).order_by("turn", "created_at", "pk")


def _due(queue: str) -> QuerySet[Match]:
    return Match.objects.filter(
        Q(not_before__isnull=True) | Q(not_before__lte=Now()),
        state=Match.State.QUEUED,
        waiting=queue == WAITING,
    ).order_by("created_at", "pk")


def anything_due(queue: str) -> bool:
    """Whether a worker of ``queue`` may begin something now."""
    return _due(queue).exists()


def _begun(queue: str) -> list[str]:
    """The classes of the matches that workers of ``queue`` began last, the oldest first."""
    attempts = MatchAttempt.objects.order_by("-pk").values_list("match__waiting", "match__klass")
    found = [
        klass for waiting, klass in attempts[:ATTEMPTS_LOOKED_AT] if queue_name(waiting=waiting) == queue
    ]
    return found[: shares.LOOK_BACK][::-1]


def order(queue: str, *, most: int) -> list[int]:
    """Up to ``most`` due matches of ``queue`` in the order in which they will be begun, if no other is queued."""
    waiting: dict[str, list[int]] = {}
    for pk, klass in _due(queue).values_list("pk", "klass")[:most]:
        waiting.setdefault(klass, []).append(pk)
    return list(shares.in_turn(waiting, _begun(queue)))


def next_due(queue: str, worker: str, *, busy: bool = False) -> Claim | None:
    """Claim the next match of ``queue``; None when nothing is due. Workers do not wait for one another.

    None also when the next match wants a slot of its own and the worker is ``busy`` with others: it begins
    nothing more until they are over.
    """
    with transaction.atomic():
        first = due(queue).select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True)[:1]
        found = list(first)
        if not found or (busy and _starved(found[0]).exists()):
            return None
        return claim(found[0], worker)


def _starved(match: int) -> QuerySet[MatchAttempt]:
    """The attempts at a match for which the machine was too slow."""
    return MatchAttempt.objects.filter(match=match, outcome=MatchAttempt.Outcome.STARVED)


@transaction.atomic
def claim(match_id: int, worker: str) -> Claim | None:
    """Take a queued match by one conditional UPDATE: attempt + 1 and a lease.

    None when there is nothing to do (played, being played, not due, unknown): duplicates are harmless. The
    seed's hash is stored with the attempt before a card is dealt.
    """
    taken = Match.objects.filter(
        Q(not_before__isnull=True) | Q(not_before__lte=Now()), pk=match_id, state=Match.State.QUEUED
    ).update(
        state=Match.State.RUNNING,
        attempt=F("attempt") + 1,
        worker=worker,
        lease_until=Now() + timedelta(seconds=settings.MATCH_LEASE_S),
        started_at=Coalesce(F("started_at"), Now()),
        reason="",
    )
    if not taken:
        return None
    match = Match.objects.select_related("series").get(pk=match_id)
    seed = seed_of(match, match.attempt)
    MatchAttempt.objects.create(
        match=match,
        number=match.attempt,
        worker=worker,
        process=processes.own(),
        seed_sha256="" if match.deal_of_id else hashlib.sha256(seed).hexdigest(),
    )
    watching.changed(match)
    return Claim(match, match.attempt, seed, alone=_starved(match.pk).exists())


def lease_s(open_ms: float) -> float:
    """How long a lease lasts from now while a question of ``open_ms`` is open."""
    return float(max(settings.MATCH_LEASE_S, open_ms / 1000 + QUESTION_MARGIN_S))


def renew(match_id: int, attempt: int, *, seconds: float, deal: int = 0) -> bool:
    """Lengthen the lease to ``seconds`` from now; only progress may call this.

    False when the match is no longer this attempt's: stop playing it, its result would be refused.
    """
    renewed = Match.objects.filter(pk=match_id, attempt=attempt, state=Match.State.RUNNING).update(
        lease_until=Now() + timedelta(seconds=seconds)
    )
    if renewed:
        MatchAttempt.objects.filter(match=match_id, number=attempt).update(deal=deal)
    return bool(renewed)


def note_environment(match_id: int, attempt: int, environment: Mapping[str, Any]) -> None:
    """Record what the sandboxed bots of an attempt run on (``Runtime.told``)."""
    MatchAttempt.objects.filter(match=match_id, number=attempt).update(environment=dict(environment))
