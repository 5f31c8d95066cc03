"""Who takes part in an event: bots with their authors' consent, people by alias, check-in, substitutes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from botapi.errors import DomainError
from botapi.models import Bot, User
from games import people
from games.people_models import Person
from ladder.events.aliases import GIVEN
from ladder.events.models import Event, EventBot, EventEntry, EventTable
from ladder.formats.lots import published_lot
from ladder.phases import locked

Phase = Event.Phase
State = EventEntry.State
ALIAS_CHARS: Final = 24
DEVICE_CHARS: Final = 200


def opens_check_in(event: Event) -> datetime:
    """When check-in begins."""
    return event.starts_at - timedelta(minutes=event.check_in_minutes)


# --- Bots -------------------------------------------------------------------------------------------------


@transaction.atomic
def ask_bot(event: Event, bot: Bot, role: str) -> EventBot:
    """Ask a bot's author for it; house bots agree at once. DomainError ``started``, ``not_available``."""
    found = locked(event)
    if found.phase not in (Phase.DRAFT, Phase.REGISTRATION):
        raise DomainError("started", gettext("Bots are chosen before check-in."), 409)
    if bot.active_version is None or bot.state == Bot.State.WITHDRAWN:
        message = gettext("%(bot)s has no version that could play.") % {"bot": bot.name}
        raise DomainError("not_available", message, 409)
    if bot.kind == Bot.Kind.HTTP and meets_cards_again(found, role):
        message = gettext("%(bot)s could remember: in this role a bot meets the same cards more than once.")
        raise DomainError("not_available", message % {"bot": bot.name}, 409)
    asked, _ = EventBot.objects.get_or_create(event=found, bot=bot, role=role)
    if bot.kind == Bot.Kind.HOUSE and asked.agreed_at is None:
        asked.agreed_at = timezone.now()
        asked.save(update_fields=["agreed_at"])
    return asked


def meets_cards_again(event: Event, role: str) -> bool:
    """Whether a bot in this role meets the same cards more than once.

    open: the opponents play with the challenger too. team: the bots sit at each table of a deal.
    """
    if event.format == Event.Format.OPEN:
        return role == EventBot.Role.OPPONENT
    return event.format == Event.Format.TEAM


def _sees_cards(event: Event, user: User) -> bool:
    """Whether this author's own endpoint would be told hands at a table at which the author may sit."""
    asked = EventBot.objects.filter(event=event, bot__owner=user, bot__kind=Bot.Kind.HTTP, declined_at=None)
    return event.format == Event.Format.SHOW and asked.exists()


def _own_bot() -> str:
    return gettext(
        "A bot of yours sees its cards at your own server: either you play in this event or it does."
    )


@transaction.atomic
def answer_for_bot(asked: EventBot, *, by: User, agrees: bool) -> EventBot:
    """Its author agrees, or declines, for as long as play has not begun.

    DomainError ``not_your_bot``, ``started``, ``own_bot`` (who plays in a show has no endpoint of one's own in it).
    """
    event = locked(asked.event)
    if asked.bot.owner_id != by.pk:
        raise DomainError("not_your_bot", gettext("Only its author can agree."), 404)
    if event.phase not in (Phase.DRAFT, Phase.REGISTRATION, Phase.CHECK_IN):
        raise DomainError("started", gettext("The event has begun."), 409)
    plays = event.entries.filter(person__user=by).exclude(state=State.LEFT).exists()
    if agrees and plays and _sees_cards(event, by):
        raise DomainError("own_bot", _own_bot(), 409)
    now = timezone.now()
    asked.agreed_at, asked.declined_at = (now, None) if agrees else (None, now)
    asked.save(update_fields=["agreed_at", "declined_at"])
    return asked


# --- People -----------------------------------------------------------------------------------------------


@transaction.atomic
def enter(event: Event, person: Person, *, alias: str = "", rules: bool, consent: bool) -> EventEntry:
    """A person with an account registers; beyond the places they are a substitute. Twice changes nothing.

    DomainError ``no_account``, ``not_open``, ``not_confirmed`` (rules and consent), ``own_bot``, ``bad_alias``,
    ``alias_taken``.
    """
    found = locked(event)
    if person.user_id is None:
        raise DomainError("no_account", gettext("Log in or sign up to take part."), 403)
    if found.phase != Phase.REGISTRATION:
        raise DomainError("not_open", gettext("Registration is closed."), 409)
    if not (rules and consent):
        message = gettext("Confirm the rules, and that some seats are bots.")
        raise DomainError("not_confirmed", message, 422)
    if person.user is not None and _sees_cards(found, person.user):
        raise DomainError("own_bot", _own_bot(), 409)
    known = found.entries.filter(person=person).first()
    if known is not None and known.state != State.LEFT:
        return known
    chosen = _given_alias(found) if found.aliases == Event.Aliases.GIVEN else _own_alias(found, alias, known)
    taken = found.entries.filter(state=State.ENTERED).count()
    state = State.ENTERED if taken < found.places else State.SUBSTITUTE
    if known is not None:
        known.delete()  # whoever comes back stands behind those who came meanwhile
    return EventEntry.objects.create(
        event=found, person=person, alias=chosen, state=state, agreed_at=timezone.now()
    )


def _own_alias(event: Event, wanted: str, known: EventEntry | None) -> str:
    alias = " ".join(wanted.split())
    if not 2 <= len(alias) <= ALIAS_CHARS or not alias.isprintable():
        message = gettext("An alias has 2 to %(most)d characters.") % {"most": ALIAS_CHARS}
        raise DomainError("bad_alias", message, 422)
    others = event.entries.filter(alias__iexact=alias).exclude(pk=known.pk if known else 0)
    named = User.objects.filter(username__iexact=alias) or Bot.objects.filter(name__iexact=alias)
    if others.exists() or named or alias in GIVEN:
        raise DomainError("alias_taken", gettext("Choose another alias: this one is taken."), 409)
    return alias


def _given_alias(event: Event) -> str:
    """The next of the names in the order that the event's secret gives: it says nothing of who has it."""
    taken = set(event.entries.values_list("alias", flat=True))
    return next(name for name in aliases_in_order(event) if name not in taken)


def aliases_in_order(event: Event) -> list[str]:
    """All aliases that can be given, shuffled by the event's secret."""
    assert event.series is not None
    return published_lot(bytes(event.series.secret)).order(GIVEN, f"aliases {event.slug}")


@transaction.atomic
def leave(entry: EventEntry) -> EventEntry:
    """Withdraw: before play the first substitute moves up; later a house bot plays on, at once. DomainError ``over``."""
    event = locked(entry.event)
    if event.phase in (Phase.FINISHED, Phase.CANCELLED):
        raise DomainError("over", gettext("The event is over."), 409)
    entry = EventEntry.objects.get(pk=entry.pk)
    was, entry.state, entry.left_at = entry.state, State.LEFT, timezone.now()
    entry.save(update_fields=["state", "left_at"])
    if was == State.ENTERED and event.phase == Phase.REGISTRATION:
        first = event.entries.filter(state=State.SUBSTITUTE).order_by("pk").first()
        if first is not None:
            first.state = State.ENTERED
            first.save(update_fields=["state"])
    people.hand_over(entry.person, EventTable.objects.filter(event=event).values("match"))
    return entry


@transaction.atomic
def check_in(entry: EventEntry, *, device: Mapping[str, Any]) -> EventEntry:
    """The person is there, and what the lobby's device test found. DomainError ``not_open``, ``not_entered``."""
    event = locked(entry.event)
    if event.phase != Phase.CHECK_IN:
        raise DomainError("not_open", gettext("Check-in is not open."), 409)
    entry = EventEntry.objects.get(pk=entry.pk)
    if entry.state not in (State.ENTERED, State.SUBSTITUTE):
        raise DomainError("not_entered", gettext("You take no part in this event."), 409)
    entry.checked_in_at = timezone.now()
    told = {str(key)[:40]: str(value)[:DEVICE_CHARS] for key, value in list(device.items())[:12]}
    entry.device = {key.replace("\0", ""): value.replace("\0", "") for key, value in told.items()}
    entry.save(update_fields=["checked_in_at", "device"])
    return entry


def seat_people(event: Event, table: int) -> list[EventEntry]:
    """At the start: those who are there, substitutes in the places of those who are not; a multiple of ``table``.

    Sets the state of every entry; those left over after whole tables stay substitutes. The event is locked.
    """
    there = event.entries.filter(checked_in_at__isnull=False, state__in=(State.ENTERED, State.SUBSTITUTE))
    ordered = sorted(there, key=lambda entry: (entry.state != State.ENTERED, entry.pk))
    playing = ordered[: min(len(ordered), event.places) // table * table]
    event.entries.filter(pk__in=[entry.pk for entry in playing]).update(state=State.PLAYING)
    event.entries.filter(state=State.ENTERED, checked_in_at__isnull=True).update(state=State.MISSED)
    event.entries.filter(state=State.ENTERED).update(state=State.SUBSTITUTE)
    return list(event.entries.filter(state=State.PLAYING).select_related("person").order_by("pk"))
