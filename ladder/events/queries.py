"""Reads of events for pages and API. Nothing here tells cards, or who is a bot, before the publication."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet

from botapi.models import User
from games import queue
from games.models import Match
from games.people_models import Person
from ladder.events import tables
from ladder.events.models import Event, EventBlock, EventBot, EventEntry, EventTable, VoidDeal

State, Phase = EventEntry.State, Event.Phase
OPEN_PHASES = (Phase.REGISTRATION, Phase.CHECK_IN, Phase.RUNNING)
COUNTED = (State.ENTERED, State.PLAYING, State.MISSED)


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """What a person has to do with an event: their entry, the table they are at, blocks played and still to play.

    ``again`` blocks they have played could not be compared, and are played again on other cards.
    """

    entry: EventEntry
    table: EventTable | None
    played: int
    left: int
    again: int


class PlayedSeat(NamedTuple):
    """Who sat there: the alias, and the bot or ""; ``absences`` are a person's decisions that others took."""

    alias: str
    bot: str
    absences: int


@dataclass(frozen=True, slots=True)
class PlayedTable:
    """A match of a published event, with its block, if it has one."""

    match: Match
    block: int | None
    seats: tuple[PlayedSeat, ...]


def events() -> QuerySet[Event]:
    """Events in public, the latest first, with how many people are ``entered``."""
    counted = Count("entries", filter=Q(entries__state__in=COUNTED))
    return (
        Event.objects.exclude(phase=Phase.DRAFT)
        .select_related("series", "organiser")
        .annotate(entered=counted)
    )


def open_events() -> QuerySet[Event]:
    """Events that take people now or are played, the next first."""
    return events().filter(phase__in=OPEN_PHASES).order_by("starts_at")


def event_by_slug(slug: str, user: Any = None) -> Event | None:
    """An event in public, or a draft of its own organiser or an operator."""
    found = events().filter(slug=slug).first()
    if found is None and isinstance(user, User):
        found = organised_by(user).filter(slug=slug).first()
    return found


def organised_by(user: User) -> QuerySet[Event]:
    """The events that a person may look after: their own, an operator all."""
    every = Event.objects.select_related("series", "organiser")
    return every if user.is_staff else every.filter(organiser=user)


def entries_of(event: Event) -> list[EventEntry]:
    """Who takes part, by alias alone; those who left are not told.

    Nobody before the publication where people are mixed with bots: who is not on the list would be a bot.
    """
    if tables.mixes(event) and event.published_at is None:
        return []
    return list(event.entries.exclude(state=State.LEFT).order_by("alias"))


def own_place(event: Event, person: Person | None) -> OwnPlace | None:
    """The place of this person in the event; None for whoever takes no part."""
    if person is None:
        return None
    entry = EventEntry.objects.filter(event=event, person=person).exclude(state=State.LEFT).first()
    if entry is None:
        return None
    without = tables.uncompared(event)
    played = tables.blocks_counting(entry, without).count()
    again = EventTable.objects.filter(entry=entry, block__in=without).count() if without else 0
    return OwnPlace(entry, tables.unfinished(event, entry), played, max(0, event.blocks - played), again)


def asked_bots(event: Event) -> list[EventBot]:
    """The bots that were asked to sit in the event, with what their authors said."""
    return list(event.bots.select_related("bot__owner").order_by("role", "pk"))


def invitations(user: User) -> list[EventBot]:
    """What an author is asked and has not answered, for events that have not begun."""
    waiting = EventBot.objects.filter(bot__owner=user, agreed_at=None, declined_at=None)
    phases = (Phase.DRAFT, Phase.REGISTRATION, Phase.CHECK_IN)
    return list(waiting.filter(event__phase__in=phases).select_related("event", "bot").order_by("pk"))


def progress(event: Event) -> dict[str, int]:
    """For the organiser: tables ``open`` and ``finished``, people ``checked_in``, ``entered`` and ``substitutes``."""
    found = EventTable.objects.filter(event=event).aggregate(
        open=Count("pk", filter=Q(match__state__in=queue.OPEN_STATES)),
        finished=Count("pk", filter=Q(match__state=Match.State.FINISHED)),
    )
    people = event.entries.aggregate(
        checked_in=Count("pk", filter=Q(checked_in_at__isnull=False)),
        entered=Count("pk", filter=Q(state__in=COUNTED)),
        substitutes=Count("pk", filter=Q(state=State.SUBSTITUTE)),
    )
    return found | people


def blocks_of(event: Event) -> list[EventBlock]:
    """All blocks with whose they are and their void deals."""
    return list(event.card_blocks.select_related("entry").prefetch_related("void_deals").order_by("number"))


def played_tables(event: Event) -> list[PlayedTable]:
    """The finished matches of a published event, with who was a bot; none before."""
    if event.published_at is None:
        return []
    rows = (
        EventTable.objects.filter(event=event, match__state=Match.State.FINISHED)
        .select_related("match", "block")
        .prefetch_related("match__seats__version__bot")
        .order_by("pk")
    )
    return [
        PlayedTable(
            row.match,
            row.block.number if row.block else None,
            tuple(
                PlayedSeat(seat.name, seat.version.bot.name if seat.version else "", seat.absences)
                for seat in row.match.seats.all()
            ),
        )
        for row in rows
    ]


def void_deals(event: Event) -> list[VoidDeal]:
    """The deals of a published event that count nowhere; none before."""
    if event.published_at is None:
        return []
    found = VoidDeal.objects.filter(block__event=event).select_related("block")
    return list(found.order_by("block__number", "deal"))
