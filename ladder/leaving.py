"""Delete an account, with everything that each package holds of the person."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext

import botapi.leaving
import games.leaving
from botapi.errors import DomainError
from botapi.models import User
from ladder.events import registration
from ladder.events.models import Event, EventBot, EventEntry


def delete_account(user: User, *, password: str) -> None:
    """The person ``user`` leaves for good; ValidationError for a wrong password, DomainError for an operator."""
    if not user.check_password(password):
        raise ValidationError({"password": gettext("This is not your password.")})
    if user.is_staff:
        raise DomainError(
            "operator",
            gettext("An operator's account is not deleted: first another operator takes the role away."),
            409,
        )
    leave(user)


def leave(user: User) -> None:
    """As an operator does it, without a password."""
    with transaction.atomic():
        _leave_events(user)
        games.leaving.leave(user)
        botapi.leaving.leave(user)
    erase_left()


def erase_left() -> int:
    """Erase what is left of people who left, once it is needed no more; how many sources.

    Bots that their authors gave to an event play in it to its end.
    """
    under_way = EventBot.objects.filter(event__phase=Event.Phase.RUNNING, version__isnull=False)
    return games.leaving.erase_left(set(under_way.values_list("version", flat=True)))


def _leave_events(user: User) -> None:
    """Out of every event that is not over; the alias stays with what was played, the device test goes."""
    entries = EventEntry.objects.filter(person__user=user)
    over = (Event.Phase.FINISHED, Event.Phase.CANCELLED)
    under_way = entries.exclude(state=EventEntry.State.LEFT).exclude(event__phase__in=over)
    for entry in under_way.select_related("event").order_by("pk"):
        registration.leave(entry)
    entries.update(device={})
