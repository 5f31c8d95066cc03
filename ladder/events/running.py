"""Events: announced, opened, checked in to, started, moved on by beat, published with all that was hidden.

Until the publication no match of an event is in any list, aliases are all that is shown, and cards of a running
block are shown to nobody, not even to those who have played it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from botapi.errors import DomainError
from botapi.models import Bot, User
from engine import RuleSet
from games import queue, results
from games.models import Match, Series
from ladder.events import tables, teams
from ladder.events.models import Event, EventBlock, EventBot, EventEntry, EventTable, VoidDeal
from ladder.events.registration import opens_check_in, seat_people
from ladder.events.results import results as results_of
from ladder.phases import (
    close_series,
    locked,
    locked_if_free,
    move_on,
    publish_result,
    start_in_time,
    step,
)

CANCELLED: Final = "the event was cancelled"
TAKEN: Final = frozenset({"invitations", "new", "tables"})
"""Addresses below /events/ that are pages of their own."""
Role = EventBot.Role
Format = Event.Format
Phase = Event.Phase
NOBODY_AGREED: Final = {
    Role.CHALLENGER: gettext_lazy("No bot has agreed to be the challenger."),
    Role.OPPONENT: gettext_lazy("No bot has agreed to be an opponent."),
}
"""Why an event cannot start, by the role that nobody fills."""


@transaction.atomic
def create_event(slug: str, *, name: str, ruleset: RuleSet, organiser: User, **properties: Any) -> Event:
    """A draft; ``properties`` are fields of Event. DomainError ``not_organiser``, ``bad_event`` where they do not fit."""
    if not organiser.is_organiser and not organiser.is_staff:
        raise DomainError("not_organiser", gettext("Only an organiser makes events."), 403)
    made = Event(
        slug=slug,
        name=name,
        rules=ruleset.to_json(),
        players=ruleset.players,
        organiser=organiser,
        **properties,
    )
    if problem := why_impossible(made):
        raise DomainError("bad_event", problem, 422)
    made.save(force_insert=True)
    return made


def why_impossible(event: Event) -> str:
    """Why this cannot be played, as a sentence; empty when it can."""
    is_open, is_show = event.format == Format.OPEN, event.format == Format.SHOW
    ends = event.ends_at
    wrong = (
        (
            not (1 <= event.blocks <= 100 and 1 <= event.deals <= 50),
            gettext("There are 1 to 100 blocks of 1 to 50 deals."),
        ),
        (not 1 <= event.places <= 500, gettext("There are 1 to 500 places.")),
        (
            is_show and not 1 <= event.people_at_table <= event.players,
            gettext("At a table sits at least one person, and no more than the rules have seats."),
        ),
        (
            tables.mixes(event) and event.aliases != Event.Aliases.GIVEN,
            gettext(
                "Where several people sit among bots everybody gets an alias by lot: a chosen one tells people from bots."
            ),
        ),
        (
            event.format == Format.TEAM and event.places < event.players,
            gettext("A team needs a person for each seat of the table."),
        ),
        (is_open and ends is None, gettext("Say until when blocks can be begun.")),
        (event.starts_at < timezone.now() - timedelta(days=1), gettext("It starts in the past.")),
        (ends is not None and ends <= event.starts_at, gettext("It ends after it starts.")),
        (event.slug in TAKEN, gettext("Another event has this address.")),
    )
    return next((words for is_wrong, words in wrong if is_wrong), "")


@transaction.atomic
def open_registration(event: Event) -> Event:
    """Show it to everybody, commit its secret, take people. DomainError ``wrong_phase``."""
    found = locked(event)
    if found.series is None:
        found.series = queue.open_series(Series.Kind.EVENT, f"event {found.slug}")
    return step(found, Phase.REGISTRATION)


@transaction.atomic
def open_check_in(event: Event) -> Event:
    """Registration ends, the lobby opens. DomainError ``wrong_phase``."""
    return step(locked(event), Phase.CHECK_IN)


@transaction.atomic
def start(event: Event) -> Event:
    """Fix the bots' versions and the people, and begin. DomainError ``wrong_phase``, ``no_bots``, ``too_few``."""
    found = locked(event)
    _fix_versions(found)
    if missing := _missing_role(found):
        raise DomainError("no_bots", str(NOBODY_AGREED[missing]), 409)
    table = {Format.OPEN: 1, Format.TEAM: found.players}.get(Format(found.format), found.people_at_table)
    people = seat_people(found, table)
    if not people:
        raise DomainError("too_few", gettext("Too few people have checked in."), 409)
    step(found, Phase.RUNNING)
    if found.format == Format.TEAM:
        _draw_teams(found, people)
    _move_on(found)
    return found


def _fix_versions(event: Event) -> None:
    """The versions with which the bots play to the end: only with their authors' consent."""
    for asked in event.bots.filter(agreed_at__isnull=False).select_related("bot__active_version"):
        ready = asked.bot.state == Bot.State.ACTIVE and asked.bot.active_version is not None
        asked.version = asked.bot.active_version if ready else None
        asked.save(update_fields=["version"])


def _missing_role(event: Event) -> Role | None:
    """The role that nobody fills, if any; an opponent is needed where people meet bots besides the challenger."""
    needed = {Format.OPEN: [Role.CHALLENGER, Role.OPPONENT], Format.TEAM: [Role.CHALLENGER]}
    for role in needed.get(Format(event.format), []):
        if not tables.versions(event, role):
            return role
    alone = event.format == Format.SHOW and event.people_at_table == event.players
    return None if alone or tables.versions(event, *Role) else Role.CHALLENGER


def _draw_teams(event: Event, people: list[EventEntry]) -> None:
    by_key = {entry.pk: entry for entry in people}
    for index, key in enumerate(tables.lot_of(event).order(by_key, "teams")):
        entry = by_key[key]
        entry.team, entry.place = index // event.players + 1, index % event.players
        entry.save(update_fields=["team", "place"])


@transaction.atomic
def begin_block(entry: EventEntry) -> Match:
    """Sit down at the next block of one's own; see :func:`ladder.events.tables.begin_block`."""
    return tables.begin_block(entry).match


@transaction.atomic
def advance(event: Event) -> None:
    """Do what is due: check-in, start, challenges, deals, rounds, end, publication. Beat calls it.

    Safe to call at any time and by two at once: whoever finds the row locked has nothing to do.
    """
    found = locked_if_free(event)
    now = timezone.now()
    if found is None:
        return
    if found.phase == Phase.REGISTRATION and opens_check_in(found) <= now:
        found = step(found, Phase.CHECK_IN)
    if found.phase == Phase.CHECK_IN and found.starts_at <= now:
        found = start_in_time(found, start, cancel)
    elif found.phase == Phase.RUNNING:
        _move_on(found)
    due = found.publishes_at is None or found.publishes_at <= now
    if due and found.phase == Phase.FINISHED and found.published_at is None:
        publish(found)


def _move_on(event: Event) -> None:
    """Queue what can be played now; once nothing is left the event is finished.

    Whether a table is open is asked before, too: a match that ends meanwhile, which takes no lock of the event, has
    perhaps not been seen as finished by the moves.
    """
    open_before = _open_tables(event).exists()
    moves = {Format.OPEN: _move_open, Format.TEAM: teams.move, Format.SHOW: _move_show}
    over = moves[Format(event.format)](event)
    if over and not open_before and not _open_tables(event).exists():
        step(event, Phase.FINISHED)


def _open_tables(event: Event) -> Any:
    return EventTable.objects.filter(event=event, match__state__in=queue.OPEN_STATES)


def _playing(event: Event) -> list[EventEntry]:
    entries = event.entries.filter(state=EventEntry.State.PLAYING)
    return list(entries.select_related("person").order_by("pk"))


def _move_open(event: Event) -> bool:
    """The challenger plays each block that its person has finished. Over: all blocks, or the time."""
    played = EventTable.objects.filter(event=event, entry__isnull=False, match__state=Match.State.FINISHED)
    again = EventTable.objects.filter(event=event, entry__isnull=True)
    answered = again.exclude(match__state__in=tables.LOST).values("block")
    without = tables.uncompared(event)
    open_ones = played.exclude(block__in=answered).exclude(block__in=without)
    for table in open_ones.select_related("block", "event__series"):
        tables.challenge(table)
    if event.ends_at is not None and event.ends_at <= timezone.now():
        return True
    return all(tables.blocks_counting(entry, without).count() >= event.blocks for entry in _playing(event))


def _move_show(event: Event) -> bool:
    """The next round when all of the one before is over; whoever left is drawn no more."""
    if _open_tables(event).exists():
        return False
    done = (
        EventTable.objects.filter(event=event).order_by("-round").values_list("round", flat=True).first() or 0
    )
    people = _playing(event)
    if done >= event.blocks or len(people) < event.people_at_table:
        return True
    tables.begin_show_round(event, people, done + 1)
    return False


def advance_all() -> int:
    """Move every event on that is under way; how many. One that fails leaves the others alone."""
    return move_on(Event, advance)


@transaction.atomic
def void_deal(block: EventBlock, *, deal: int, reason: str, by: User) -> VoidDeal:
    """Declare a deal (from 1) void at every table that plays it; twice changes nothing.

    DomainError ``published``, ``no_such_deal``.
    """
    event = locked(block.event)
    if event.published_at is not None:
        raise DomainError("published", gettext("The results stand."), 409)
    if not 1 <= deal <= (event.deals if block.team is None else 1):
        raise DomainError("no_such_deal", gettext("There is no such deal in this block."), 404)
    made, _ = VoidDeal.objects.get_or_create(block=block, deal=deal, defaults={"reason": reason, "by": by})
    return made


@transaction.atomic
def cancel(event: Event, *, reason: str = "") -> Event:
    """End it without a result: open matches are void. DomainError ``wrong_phase``."""
    found = step(locked(event), Phase.CANCELLED, reason)
    for table in _open_tables(found).select_related("match"):
        results.void(table.match, reason=CANCELLED)
    close_series(found)
    return found


@transaction.atomic
def publish(event: Event) -> Event:
    """Keep the results for good; matches, records and who was a bot are public from now on.

    DomainError ``not_over``, ``published``.
    """
    found = locked(event)
    if found.published_at is not None:
        raise DomainError("published", gettext("The results were published."), 409)
    if found.phase != Phase.FINISHED:
        raise DomainError("not_over", gettext("The event is not over."), 409)
    return publish_result(found, results_of(found).to_json())


BY_HAND: Final[dict[str, Callable[[Event], Event]]] = {
    "open": open_registration,
    "check-in": open_check_in,
    "start": start,
    "cancel": cancel,
    "publish": publish,
}
"""The steps that an organiser may take before their time."""
