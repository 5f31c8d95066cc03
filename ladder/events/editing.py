"""What an organiser changes of an event that is made: all of a draft, later only what harms nobody who registered."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from botapi.errors import DomainError
from botapi.models import Bot
from engine import RuleSet
from ladder.events.models import Event, EventBot, EventEntry
from ladder.events.registration import meets_cards_again, opens_check_in
from ladder.events.running import why_impossible
from ladder.phases import locked

Phase = Event.Phase
State = EventEntry.State

DATES: Final = ("starts_at", "check_in_minutes", "ends_at", "publishes_at")
UNTIL_CHECK_IN: Final = frozenset({"name", "notes", "places", *DATES})
"""What may change while people register; nothing does from check-in on."""
NO_PART_OF_CONSENT: Final = frozenset({"name", "slug", "notes", "places"})
"""What may change of a draft without asking the bots' authors again."""


@transaction.atomic
def edit_event(event: Event, *, ruleset: RuleSet | None = None, **wished: Any) -> Event:
    """Change fields of Event to what is wished; what is as it was counts as no change.

    In a draft everything; authors who agreed are then asked again, except about names, notes and places. In
    registration :data:`UNTIL_CHECK_IN`: places only become more (substitutes move up), dates stay to come.
    DomainError ``wrong_phase``, ``fixed``, ``fewer_places``, ``in_the_past``, ``not_available`` (a bot that was asked
    could remember cards in the new format), ``bad_event``.
    """
    found = locked(event)
    if ruleset is not None:
        wished |= {"rules": ruleset.to_json(), "players": ruleset.players}
    changes = {field: value for field, value in wished.items() if getattr(found, field) != value}
    if not changes:
        return found
    places = found.places
    if found.phase not in (Phase.DRAFT, Phase.REGISTRATION):
        raise DomainError("wrong_phase", gettext("From check-in on nothing of an event is changed."), 409)
    for field, value in changes.items():
        setattr(found, field, value)
    if found.phase == Phase.REGISTRATION:
        _refuse_what_harms(found, changes, places)
    if problem := _why_impossible(found):
        raise DomainError("bad_event", problem, 422)
    found.save(update_fields=list(changes))
    if found.phase == Phase.DRAFT:
        _look_at_bots(found, changes)
    else:
        _move_up(found)
    return found


def _refuse_what_harms(event: Event, changes: dict[str, Any], places: int) -> None:
    """Of an event with these changes, whose registration was opened with so many ``places``."""
    if not changes.keys() <= UNTIL_CHECK_IN:
        message = gettext("People have registered for this: format, rules, cards and aliases are fixed.")
        raise DomainError("fixed", message, 409)
    if event.places < places:
        message = gettext("Places can only become more: people have registered for them.")
        raise DomainError("fewer_places", message, 409)
    moments = [value for value in changes.values() if isinstance(value, datetime)]
    if changes.keys() & {"starts_at", "check_in_minutes"}:
        moments.append(opens_check_in(event))
    if any(moment <= timezone.now() for moment in moments):
        message = gettext("Check-in and every date that is changed must be in the future.")
        raise DomainError("in_the_past", message, 422)


def _why_impossible(event: Event) -> str:
    if Event.objects.filter(slug=event.slug).exclude(pk=event.pk).exists():
        return gettext("Another event has this address.")
    return why_impossible(event)


def _look_at_bots(event: Event, changes: dict[str, Any]) -> None:
    """Authors agreed to another event than this; and no bot that could remember may meet cards again in it."""
    for asked in event.bots.filter(bot__kind=Bot.Kind.HTTP, declined_at=None).select_related("bot"):
        if meets_cards_again(event, asked.role):
            message = gettext("%(bot)s could remember: take it back before the format changes.")
            raise DomainError("not_available", message % {"bot": asked.bot.name}, 409)
    if not changes.keys() <= NO_PART_OF_CONSENT:
        event.bots.exclude(bot__kind=Bot.Kind.HOUSE).update(agreed_at=None, declined_at=None)


def _move_up(event: Event) -> None:
    """Substitutes, the first first, take the places that are free."""
    free = event.places - event.entries.filter(state=State.ENTERED).count()
    first = event.entries.filter(state=State.SUBSTITUTE).order_by("pk")[: max(0, free)]
    event.entries.filter(pk__in=[entry.pk for entry in first]).update(state=State.ENTERED)


@transaction.atomic
def take_back(asked: EventBot) -> None:
    """A bot that was asked is not asked any more, before the start. DomainError ``started``."""
    if locked(asked.event).phase not in (Phase.DRAFT, Phase.REGISTRATION, Phase.CHECK_IN):
        raise DomainError("started", gettext("The event has begun."), 409)
    asked.delete()
