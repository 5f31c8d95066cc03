"""Who a visitor is at the tables: the person of their account, or a guest whom the session alone remembers."""

from __future__ import annotations

import secrets
from collections.abc import MutableMapping
from datetime import timedelta
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext

from botapi import addresses
from botapi.errors import DomainError
from botapi.models import Bot, User
from games.models import Seat
from games.people_models import Person
from games.queue import OPEN_STATES

SESSION_KEY: Final = "person"
ALIAS_CHARS: Final = 24
ORIGIN_KEPT: Final = timedelta(days=1)
"""After a guest's last table, and no shorter than the limits of an address look back."""


def person_of(user: User | AnonymousUser, session: MutableMapping[str, Any]) -> Person | None:
    """The visitor's person, None before they first sat down.

    Whoever has played as a guest and then signs in keeps the tables: the account takes the guest over here, the
    first time it is asked for.
    """
    found = Person.objects.filter(pk=session.get(SESSION_KEY, 0), user__isnull=True).first()
    if not isinstance(user, User):
        return found
    own = Person.objects.filter(user=user).first()
    if found is None:
        return own
    del session[SESSION_KEY]
    return _claim(found, user, own)


def sit_down(
    user: User | AnonymousUser, session: MutableMapping[str, Any], *, alias: str = "", address: str = ""
) -> Person:
    """The visitor's person, made now if need be, under ``alias`` if one is given (else as before, or a first one).

    ``address`` is that of a guest (``botapi.addresses.of``): not the address is kept, but a digest, while they play.
    DomainError ``bad_alias`` or ``alias_taken`` (an account or a bot of another has the name).
    """
    person = person_of(user, session)
    wanted = " ".join(alias.split())
    if wanted and (person is None or wanted != person.alias):
        _check_alias(wanted, user)
    if person is None:
        account = user if isinstance(user, User) else None
        usual = account.username if account else f"Guest {secrets.randbelow(9000) + 1000}"
        chosen = wanted or usual[:ALIAS_CHARS]
        if account is None:
            person = Person.objects.create(alias=chosen)
            session[SESSION_KEY] = person.pk
        else:  # two tabs at once are one person
            person, _made = Person.objects.get_or_create(user=account, defaults={"alias": chosen})
    elif wanted and wanted != person.alias:
        person.alias = wanted
        person.save(update_fields=["alias"])
    origin = addresses.digest(address)
    if origin and person.user_id is None and person.origin != origin:
        person.origin = origin
        person.save(update_fields=["origin"])
    return person


def person_of_account(user: User) -> Person:
    """The person of an account, made now if need be: for whoever comes with a token."""
    return sit_down(user, {})


def forget_origins() -> int:
    """Forget where guests came from who have no table and began none for a day; of how many people."""
    lately = Q(match__state__in=OPEN_STATES) | Q(match__created_at__gt=Now() - ORIGIN_KEPT)
    needed = Seat.objects.filter(lately, person__isnull=False).exclude(person__origin="").values("person")
    return Person.objects.exclude(origin="").exclude(pk__in=needed).update(origin="")


@transaction.atomic
def hide_alias(person: Person) -> None:
    """Give the person a name that says nothing, at past tables too; records keep theirs, whose bytes never change."""
    old, person.alias = person.alias, f"Player {person.pk}"
    person.save(update_fields=["alias"])
    past = Seat.objects.filter(person=person, name=old).exclude(match__state__in=OPEN_STATES)
    past.update(name=person.alias)


@transaction.atomic
def _claim(guest: Person, user: User, own: Person | None) -> Person:
    """The account's person, with all that the guest has played."""
    if own is None:
        guest.user, guest.origin = user, ""
        guest.save(update_fields=["user", "origin"])
        return guest
    Seat.objects.filter(person=guest).update(person=own)
    guest.delete()
    return own


def _check_alias(alias: str, user: User | AnonymousUser) -> None:
    if not 2 <= len(alias) <= ALIAS_CHARS or not alias.isprintable():
        message = gettext("A name at the table has 2 to %(most)d characters.") % {"most": ALIAS_CHARS}
        raise DomainError("bad_alias", message, 422)
    others = User.objects.filter(username__iexact=alias).exclude(pk=user.pk or 0)
    if others.exists() or Bot.objects.filter(name__iexact=alias).exists():
        raise DomainError("alias_taken", gettext("Somebody else has this name."), 409)
