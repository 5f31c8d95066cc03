"""A person at a table: what the page may show them, and the verbs with which they play.

What a person sees is the engine's view of their own seat as the worker stored it; nothing here knows more. An
answer is a row: the worker that plays the match looks for it. Time is the database's.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import DurationField, ExpressionWrapper, F, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext

from botapi.errors import DomainError
from games import journal, queue, results
from games.models import Match, Seat
from games.people_models import JournalEntry, Person, TableSeat

BOT_MS_MOST: Final = 10_000
TRICK_MS_MOST: Final = 15_000
HIDDEN_BEAT_S: Final = 60
"""A hidden page counts as seen so much longer: its next word may come so late."""


@dataclass(frozen=True, slots=True)
class Ask:
    """The decision that is the person's now.

    ``number`` counts the person's own decisions, from 1; ``legal`` are action texts in the protocol's order.
    ``left_ms`` is the time until the default action is played; the last ``bank_ms`` of it are the match's bank.
    """

    number: int
    legal: tuple[str, ...]
    left_ms: int
    bank_ms: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a finished match ended, each by seat; ``ends`` is target or deal_limit."""

    totals: tuple[int, ...]
    places: tuple[int, ...]
    ends: str


@dataclass(frozen=True, slots=True)
class TableState:
    """All that a person's page may know of their table.

    ``version`` grows with each change of what the seat may see or is asked. ``view`` is protocol.md section 4,
    None until the match has begun; ``events`` are those of the deal in progress, ``last_deal`` those of the deal
    before it, as ``Game.events`` tells them to this seat. ``absent`` are the seats of people who are away; with
    ``given_up`` the own one is a house bot's to the end. ``practice``: not a table of an event, so that it may be
    ended and its pace is the person's.
    """

    match: int
    state: str
    reason: str
    version: int
    rules: dict[str, Any]
    short: bool
    practice: bool
    seat: int
    names: tuple[str, ...]
    people: tuple[int, ...]
    absent: tuple[int, ...]
    view: dict[str, Any] | None
    events: tuple[dict[str, Any], ...]
    last_deal: tuple[dict[str, Any], ...]
    ask: Ask | None
    away: bool
    given_up: bool
    bot_ms: int
    trick_ms: int
    outcome: Outcome | None

    @property
    def channel(self) -> str:
        """Where the seat's wake-ups are told (:mod:`games.streams`): then the page reads the state again."""
        return journal.channel(self.match, self.seat)

    @property
    def over(self) -> bool:
        """Whether nothing more will happen at this table."""
        return self.state not in (Match.State.QUEUED, Match.State.RUNNING)


# --- Reading ----------------------------------------------------------------------------------------------


def table_state(match_id: int, person: Person) -> TableState:
    """What ``person`` may see of the table they sit at, in two queries. DomainError ``no_such_table`` for others."""
    left = ExpressionWrapper(F("deadline_at") - Now(), output_field=DurationField())
    own = (
        TableSeat.objects.select_related("seat__match", "seat__person")
        .filter(seat__match=match_id, seat__person=person)
        .annotate(left=left)
        .first()
    )
    if own is None:
        raise no_such_table()
    seats = list(Seat.objects.filter(match=match_id).select_related("table").order_by("index"))
    match, pace = own.seat.match, own.seat.person
    assert pace is not None
    hidden = match.klass == Match.Class.EVENT  # who is a bot is not told before an event is published
    people = [seat for seat in seats if seat.pk == own.pk or (seat.person_id is not None and not hidden)]
    return TableState(
        match=match.pk,
        state=match.state,
        reason=(match.reason and match.state) if hidden else match.reason,  # a reason may name a bot
        version=own.version,
        rules=match.rules,
        short=is_short(match.rules),
        practice=match.klass == Match.Class.PEOPLE,
        seat=own.seat.index,
        names=tuple(seat.name for seat in seats),
        people=tuple(seat.index for seat in people),
        absent=tuple(seat.index for seat in people if seat.table.away),
        view=own.view,
        events=tuple(own.events),
        last_deal=tuple(own.last_deal),
        ask=_ask(own, match, own.left),
        away=own.away,
        given_up=own.given_up,
        bot_ms=pace.bot_ms,
        trick_ms=pace.trick_ms,
        outcome=_outcome(match, seats),
    )


def is_short(rules: dict[str, Any]) -> bool:
    """Whether the record form of some rules is a short game's."""
    return bool(rules["target"] == 500)


def _ask(own: TableSeat, match: Match, left: timedelta | None) -> Ask | None:
    if match.state != Match.State.RUNNING or not own.legal or own.answer or left is None:
        return None
    left_ms = max(0, int(left.total_seconds() * 1000))
    return Ask(own.question, tuple(own.legal), left_ms, min(left_ms, own.bank_ms))


def _outcome(match: Match, seats: list[Seat]) -> Outcome | None:
    if match.state != Match.State.FINISHED:
        return None
    return Outcome(
        totals=tuple(seat.total or 0 for seat in seats),
        places=tuple(seat.place or 0 for seat in seats),
        ends=match.end_reason,
    )


# --- Playing ----------------------------------------------------------------------------------------------


def answer(match_id: int, person: Person, *, question: int, action: str) -> None:
    """Play ``action``: exactly once, whatever number of tabs and retries say so.

    The same answer again is fine. DomainError ``no_such_table``, ``already_played`` (another answer came first,
    or the time was over), ``not_asked`` (away, or not this person's turn), ``illegal_action``.
    """
    seat = Seat.objects.filter(match=match_id, person=person).select_related("match").first()
    if seat is None:
        raise no_such_table()
    if seat.match.state == Match.State.RUNNING and _take(seat, question, action):
        return
    own = TableSeat.objects.get(seat=seat)
    decided = own.answer if own.question == question else ""
    decided = decided or _decided(seat, question)
    if decided == action:
        return
    if decided:
        raise DomainError("already_played", gettext("This decision was already made."), 409)
    if question != own.question or own.away or not own.legal or seat.match.state != Match.State.RUNNING:
        raise DomainError("not_asked", gettext("It is not your turn."), 409)
    if action not in own.legal:
        raise DomainError("illegal_action", gettext("You cannot play that here."), 422)
    raise DomainError("already_played", gettext("Your time for this decision is over."), 409)


def _take(seat: Seat, question: int, action: str) -> bool:
    """Write the answer down if the question is open and has none.

    All conditions stand on the row itself, without a join: whoever waited for another's answer to the same row has
    them looked at again.
    """
    open_question = TableSeat.objects.filter(
        seat=seat,
        question=question,
        legal__contains=[action],
        answer="",
        away=False,
        deadline_at__gt=Now(),
    )
    return bool(open_question.update(answer=action, seen_at=Now(), version=F("version") + 1))


def _decided(seat: Seat, question: int) -> str:
    """The seat's decision with this number (from 1), empty while it was not made."""
    if question < 1:
        return ""
    own = JournalEntry.objects.filter(match=seat.match_id, seat=seat.index).order_by("number")
    return "".join(own.values_list("action", flat=True)[question - 1 : question])


def seen(match_id: int, person: Person, *, hidden: bool = False) -> None:
    """The person's page is there; ``hidden``: behind others, where browsers let it tell so only once a minute."""
    until = Now() + timedelta(seconds=HIDDEN_BEAT_S) if hidden else Now()
    TableSeat.objects.filter(seat__match=match_id, seat__person=person).update(seen_at=until)


def come_back(match_id: int, person: Person) -> None:
    """The person plays again, from their next decision on. DomainError ``no_such_table``, ``given_up``."""
    own = TableSeat.objects.filter(seat__match=match_id, seat__person=person)
    if own.filter(given_up=False).update(away=False, seen_at=Now(), version=F("version") + 1):
        return
    if own.exists():
        message = gettext("You gave this seat up: a house bot plays it to the end.")
        raise DomainError("given_up", message, 409)
    raise no_such_table()


def hand_over(person: Person, matches: QuerySet[Any]) -> None:
    """The person gives up their seats at those of these matches that are open: a house bot plays there, at once."""
    open_ones = Seat.objects.filter(match__in=matches, match__state__in=queue.OPEN_STATES, person=person)
    for seat in open_ones:
        TableSeat.objects.filter(seat=seat).update(away=True, given_up=True, version=F("version") + 1)
        journal.tell(seat.match_id, [seat.index])


def set_pace(person: Person, *, bot_ms: int, trick_ms: int) -> None:
    """How long bots wait and complete tricks are shown, from the next move on; beyond what is sensible it is cut."""
    person.bot_ms = max(0, min(bot_ms, BOT_MS_MOST))
    person.trick_ms = max(0, min(trick_ms, TRICK_MS_MOST))
    person.save(update_fields=["bot_ms", "trick_ms"])


def leave(match_id: int, person: Person) -> None:
    """Give up a practice table: it is void. DomainError ``no_such_table``, ``not_practice``; one that is over stays."""
    with transaction.atomic():
        match = (
            Match.objects.select_for_update(of=("self",)).filter(pk=match_id, seats__person=person).first()
        )
        if match is None:
            raise no_such_table()
        if match.klass != Match.Class.PEOPLE:
            raise DomainError("not_practice", gettext("Only a practice table can be given up."), 409)
        if match.state in (Match.State.QUEUED, Match.State.RUNNING):
            results.void(match, reason="the person gave it up")


def no_such_table() -> DomainError:
    """Who sits at no such table learns no more than that; to be raised."""
    return DomainError("no_such_table", gettext("There is no such table of yours."), 404)
