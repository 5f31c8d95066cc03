"""Tables of an event: who sits where, on which cards. All of it under the lock of the event's row."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import islice
from typing import Final

from django.db.models import Count, F, Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from botapi.errors import DomainError
from botapi.models import Bot, Version
from engine import RuleSet
from games import queue
from games.check_queue import clocks_for
from games.match import STAND_IN
from games.models import Match, MatchAttempt, Seat
from games.people_models import Person
from ladder.events.models import Event, EventBlock, EventBot, EventEntry, EventTable
from ladder.events.registration import aliases_in_order
from ladder.formats.lots import Lot, published_lot
from ladder.phases import locked

LOST = (Match.State.VOID, Match.State.FAILED)
REFUSALS: Final = 2
"""As often as a version may fail to start before it is suspended (protocol.md section 5)."""
REPEATS: Final = 3
"""So often a table that the service lost is played again; then its block counts for nobody. Whoever refuses to begin is
replaced sooner than that."""
Role = EventBot.Role


def lot_of(event: Event) -> Lot:
    """What decides every draw of the event; it follows from the committed secret and tells no card."""
    assert event.series is not None
    return published_lot(bytes(event.series.secret))


def mixes(event: Event) -> bool:
    """Whether a person meets both people and bots at a table: until the publication nothing may tell which is which."""
    return event.format == Event.Format.SHOW and 1 < event.people_at_table < event.players


def rules_for(event: Event, deals: int | None) -> RuleSet:
    """The event's rules, for so many deals (None: to their end). A single deal is no golden one."""
    rules = RuleSet.from_json(event.rules)
    if deals is None:
        return rules
    golden = rules.golden_deals and deals > 1
    return dataclasses.replace(rules, deal_limit=deals, golden_deals=golden)


def versions(event: Event, *roles: str) -> list[Version]:
    """The versions that sit for the event's bots of these roles, as fixed at the start.

    A bot that would not begin has a house bot in its place from then on, as a bot with three faults has: nobody's
    refusals keep people from playing, or take away the blocks that went well for them.
    """
    bots = EventBot.objects.filter(event=event, role__in=roles, version__isnull=False)
    fixed = [bot.version for bot in bots.select_related("version__bot").order_by("pk") if bot.version]
    unwilling = would_not_begin(event)
    if unwilling.isdisjoint(version.pk for version in fixed):
        return fixed
    house = Bot.objects.filter(kind=Bot.Kind.HOUSE, house=STAND_IN, active_version__isnull=False)
    instead = house.select_related("active_version__bot").order_by("pk")[0].active_version
    assert instead is not None
    return [instead if version.pk in unwilling else version for version in fixed]


def would_not_begin(event: Event) -> set[int]:
    """The versions that refused, or did not start at, :data:`REFUSALS` matches of the event or more."""
    seats = Seat.objects.filter(
        match__series=event.series_id,
        match__attempts__outcome=MatchAttempt.Outcome.REFUSED,
        match__logs__attempt=F("match__attempts__number"),
        match__logs__seat=F("index"),  # of an attempt that a bot refused its log alone is kept
        version__isnull=False,
    )
    counted = seats.values("version").annotate(times=Count("match", distinct=True))
    return set(counted.filter(times__gte=REFUSALS).values_list("version", flat=True))


def unfinished(event: Event, entry: EventEntry) -> EventTable | None:
    """The table at which this person plays now, or is about to."""
    tables = EventTable.objects.filter(event=event, match__state__in=queue.OPEN_STATES)
    return tables.filter(match__seats__person=entry.person).select_related("match").first()


# --- Open: blocks of one's own ----------------------------------------------------------------------------


def begin_block(entry: EventEntry) -> EventTable:
    """Seat a person at the next block of their own; the table they have not finished, if there is one.

    Called in a transaction. DomainError ``not_running``, ``not_playing``, ``over`` (too late), ``all_played``.
    """
    event = locked(entry.event)
    if event.phase != Event.Phase.RUNNING or event.format != Event.Format.OPEN:
        raise DomainError("not_running", gettext("No block can be played now."), 409)
    entry.refresh_from_db(fields=["state"])  # it may have been read before a withdrawal that held the lock
    if entry.state != EventEntry.State.PLAYING:
        raise DomainError("not_playing", gettext("You take no part in this event."), 409)
    if (table := unfinished(event, entry)) is not None:
        return table
    if event.ends_at is not None and event.ends_at <= timezone.now():
        raise DomainError("over", gettext("The time for new blocks is over."), 409)
    done = set(blocks_counting(entry, uncompared(event)).values_list("block__position", flat=True))
    position = next((number for number in range(1, event.blocks + 1) if number not in done), None)
    if position is None:
        raise DomainError("all_played", gettext("You have played all your blocks."), 409)
    block = _new_block(event, position=position, entry=entry)
    others = _cycle(versions(event, Role.OPPONENT), event.players - 1, block.number)
    seat = (position - 1) % event.players
    return _seat_block(event, block, entry.person, entry.alias, seat, others, entry)


def blocks_counting(entry: EventEntry, without: Collection[int]) -> QuerySet[EventTable]:
    """A person's tables that count: what the service lost, and what is :func:`uncompared`, is played again.

    On other cards, since nobody meets a deal twice.
    """
    own = EventTable.objects.filter(entry=entry).exclude(match__state__in=LOST)
    return own.exclude(block__in=without)


def uncompared(event: Event) -> set[int]:
    """The blocks (by key) that count for nobody, since the challenger's table cannot be had.

    It was lost too often, or an opponent whom the person met will not begin there: with another one in that seat
    the two would not have met the same.
    """
    again = EventTable.objects.filter(event=event, entry__isnull=True, block__isnull=False)
    answered = again.exclude(match__state__in=LOST).values("block")
    lost = again.filter(match__state__in=LOST).exclude(block__in=answered)
    times = Counter(lost.values_list("block", flat=True))
    if not times:
        return set()
    refusing = Seat.objects.filter(match__event_table__in=lost, version__in=would_not_begin(event))
    opponents = refusing.exclude(index=F("match__event_table__seat"))
    refused = opponents.values_list("match__event_table__block", flat=True)
    return {block for block, lost_times in times.items() if lost_times > REPEATS} | set(refused)


def challenge(table: EventTable) -> EventTable:
    """The challenger in a person's seat: the same cards, the same opponents. Called in a transaction."""
    block, event = table.block, table.event
    assert block is not None
    challengers = versions(event, Role.CHALLENGER)
    challenger = challengers[block.number % len(challengers)]
    (name,) = _bot_names(event, f"challenger of block {block.number}", 1)
    seats = table.match.seats.exclude(index=table.seat).select_related("version__bot").order_by("index")
    others = [seat.version for seat in seats if seat.version is not None]
    return _seat_block(event, block, challenger, name, table.seat, others, None)


def _seat_block(
    event: Event,
    block: EventBlock,
    who: Person | Version,
    name: str,
    seat: int,
    others: Sequence[Version],
    entry: EventEntry | None,
) -> EventTable:
    names = _bot_names(event, f"block {block.number}", len(others))
    seats: list[Person | Version] = [*others[:seat], who, *others[seat:]]
    match = _enqueue(event, seats, [*names[:seat], name, *names[seat:]], deals=event.deals, block=block)
    return EventTable.objects.create(event=event, block=block, match=match, entry=entry, seat=seat)


# --- Team: the seats of one deal, all at once ---------------------------------------------------------------


def begin_deal(event: Event, team: int, entries: Sequence[EventEntry], position: int) -> EventBlock:
    """Deal ``position`` (from 1) of a team: person k sits in another seat each time, bots in the others."""
    block = _new_block(event, position=position, team=team)
    bots = versions(event, Role.CHALLENGER)
    for entry in entries:
        assert entry.place is not None
        seat = (entry.place + position - 1) % event.players
        others = _cycle(bots, event.players - 1, block.number)
        names = _bot_names(event, f"block {block.number} seat {seat}", len(others))
        seats: list[Person | Version] = [*others[:seat], entry.person, *others[seat:]]
        shown = [*names[:seat], entry.alias, *names[seat:]]
        match = _enqueue(event, seats, shown, deals=1, block=block)
        EventTable.objects.create(event=event, block=block, match=match, entry=entry, seat=seat)
    return block


# --- Show: full matches -----------------------------------------------------------------------------------


def begin_show_round(event: Event, entries: Sequence[EventEntry], number: int) -> list[EventTable]:
    """Round ``number`` (from 1): people and bots drawn to tables anew, seats by lot.

    A bot has the same name in each round, as a person has: names that come again tell nothing.
    """
    lot, bots = lot_of(event), versions(event, Role.CHALLENGER, Role.OPPONENT)
    order = lot.order([entry.pk for entry in entries], f"round {number}")
    by_key = {entry.pk: entry for entry in entries}
    count = -(-len(order) // event.people_at_table) * event.players - len(order)
    others = list(zip(_cycle(bots, count, 0), _bot_names(event, "show", count), strict=True))
    drawn_bots = iter(lot.order(range(count), f"bots {number}"))
    tables = []
    for first in range(0, len(order), event.people_at_table):
        people = [by_key[key] for key in order[first : first + event.people_at_table]]
        sitting: list[tuple[Person | Version, str]] = [(entry.person, entry.alias) for entry in people]
        sitting += [others[index] for index in islice(drawn_bots, event.players - len(people))]
        drawn = [sitting[index] for index in lot.order(range(len(sitting)), f"seats {number} {first}")]
        match = _enqueue(
            event, [who for who, _ in drawn], [name for _, name in drawn], deals=None, block=None
        )
        tables.append(EventTable.objects.create(event=event, match=match, round=number))
    return tables


# --- Shared -----------------------------------------------------------------------------------------------


def _new_block(
    event: Event, *, position: int, entry: EventEntry | None = None, team: int | None = None
) -> EventBlock:
    last = event.card_blocks.aggregate(last=Max("number"))["last"] or 0
    return EventBlock.objects.create(event=event, number=last + 1, position=position, entry=entry, team=team)


def _cycle(bots: Sequence[Version], count: int, start: int) -> list[Version]:
    return [bots[(start + index) % len(bots)] for index in range(count)]


def _bot_names(event: Event, purpose: str, count: int) -> list[str]:
    """Names for bots at one table that no person of the event has."""
    taken = set(event.entries.values_list("alias", flat=True))
    free = [name for name in aliases_in_order(event) if name not in taken]
    first = lot_of(event).number(f"names {purpose}") % len(free)
    return [free[(first + index) % len(free)] for index in range(count)]


def _enqueue(
    event: Event,
    seats: Sequence[Person | Version],
    names: Sequence[str],
    *,
    deals: int | None,
    block: EventBlock | None,
) -> Match:
    assert event.series is not None
    kinds = {seat.bot.kind for seat in seats if isinstance(seat, Version)}
    return queue.enqueue(
        series=event.series,
        klass=Match.Class.EVENT,
        rules=rules_for(event, deals),
        clocks=clocks_for(Bot.Kind.HTTP if Bot.Kind.HTTP in kinds else Bot.Kind.SANDBOX),
        seats=seats,
        names=names,
        rated=False,
        block=block.number if block else None,
    )
