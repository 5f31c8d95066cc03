"""Practice tables: a person, at once, against house bots or bots whose authors allow it; never rated."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext, ngettext

from botapi.errors import DomainError
from botapi.models import Bot, Version
from engine import PRESETS, RuleSet
from games import queries, queue, trials
from games.check_queue import clocks_for
from games.models import Match, Series
from games.people_models import Person

OPEN_TABLES: Final = 3
"""Practice tables that one person has open at a time."""
GUEST_TABLES: Final = 40
"""Practice tables of all guests together."""
SHORT_TARGET: Final = 500
SHORT_BARREL: Final = 400
USUAL_OPPONENT: Final = "counter"


@transaction.atomic
def start_practice(
    person: Person, *, rules: str | RuleSet, opponents: Sequence[str], short: bool = False
) -> Match:
    """Queue a practice table: ``person`` in seat 0, then ``opponents``, bots by name.

    ``rules`` is a preset's name or a rule set, ``short`` makes it the short game. DomainError ``unknown_rules``,
    ``wrong_number``, ``not_available`` (no such bot for this person), ``too_many_tables``, and for guests
    ``tables_full``, ``address_full`` and ``address_too_quick``.
    """
    ruleset = PRESETS.get(rules) if isinstance(rules, str) else rules
    if ruleset is None:
        raise DomainError("unknown_rules", gettext("There are no such rules."), 422)
    if len(opponents) != ruleset.players - 1:
        message = gettext("These rules are for %(players)d players.") % {"players": ruleset.players}
        raise DomainError("wrong_number", message, 422)
    _admit(person)
    bots = [trials.opponent(person.user, name) for name in opponents]
    return _enqueue(person, short_game(ruleset) if short else ruleset, [person, *bots])


@transaction.atomic
def play_deal(person: Person, *, match: Match, deal: int, seat: int, opponents: Sequence[str] = ()) -> Match:
    """Queue a table where ``person`` plays one deal (from 0) of a public match again, with the cards of ``seat``.

    It is dealt from no seed, and its record says so. ``match`` is of :func:`games.queries.match_details`; the
    ``opponents`` are house bots, those to the person's left first. DomainError ``no_such_deal``, and as above.
    """
    stored = queries.public_record(match)
    record = json.loads(stored.body) if stored else None
    if record is None or not 0 <= deal < len(record["deals"]) or not 0 <= seat < match.players:
        raise DomainError("no_such_deal", gettext("There is no such deal to play."), 404)
    names = list(opponents) or [USUAL_OPPONENT] * (match.players - 1)
    if len(names) != match.players - 1:
        message = gettext("These rules are for %(players)d players.") % {"players": match.players}
        raise DomainError("wrong_number", message, 422)
    _admit(person)
    others = [trials.opponent(None, name) for name in names]
    own = (seat - record["deals"][deal]["dealer"]) % match.players  # the first dealer of a table is seat 0
    seats: list[Version | Person] = [person, *others]
    seats = [seats[(index - own) % match.players] for index in range(match.players)]
    return _enqueue(person, _one_deal(record, deal), seats, deal_of=(match, deal))


def short_game(rules: RuleSet) -> RuleSet:
    """The short game of some rules: to 500, with the barrel at 400 where there is one (rules.md section 8)."""
    barrel = rules.barrel and dataclasses.replace(rules.barrel, threshold=SHORT_BARREL)
    short = dataclasses.replace(rules, target=SHORT_TARGET, barrel=barrel)
    return next((preset for preset in PRESETS.values() if preset.hash == short.hash), short)


def _one_deal(record: dict[str, Any], deal: int) -> RuleSet:
    """The match's rules for one deal of it; golden only in the first round, which always is."""
    rules = RuleSet.from_json(record["rules"])
    finished = sum(not one["void"] for one in record["deals"][:deal])
    golden = rules.golden_deals and finished < rules.players
    return dataclasses.replace(rules, deal_limit=1, golden_deals=golden)


def _admit(person: Person) -> None:
    """Refuse whoever has enough tables; the person's row is locked, so that two tabs count each other."""
    Person.objects.select_for_update().get(pk=person.pk)
    tables = Match.objects.filter(klass=Match.Class.PEOPLE, state__in=queue.OPEN_STATES)
    if tables.filter(seats__person=person).count() >= OPEN_TABLES:
        message = gettext("You have %(count)d tables open: finish one or give it up.") % {
            "count": OPEN_TABLES
        }
        raise DomainError("too_many_tables", message, 409)
    if person.user_id is None:
        _admit_guest(person, tables)


def _admit_guest(person: Person, tables: QuerySet[Match]) -> None:
    """Refuse a guest where all guests, or those of the same address, have enough tables; guests wait for one another.

    An address is a household or a school: its limits are settings. Whoever has an account is not counted.
    """
    Series.objects.select_for_update().get(pk=_series().pk)
    guests = tables.filter(seats__person__isnull=False, seats__person__user__isnull=True)
    if guests.distinct().count() >= GUEST_TABLES:
        raise DomainError(
            "tables_full", gettext("All guests' tables are taken: try again in a few minutes."), 503
        )
    if not person.origin:
        return
    neighbours = {"seats__person__origin": person.origin, "seats__person__user__isnull": True}
    if tables.filter(**neighbours).distinct().count() >= settings.GUEST_TABLES_OPEN:
        message = ngettext(
            "Guests at your network address have %(count)d table open: finish it or give it up, or log in.",
            "Guests at your network address have %(count)d tables open: finish one or give it up, or log in.",
            settings.GUEST_TABLES_OPEN,
        ) % {"count": settings.GUEST_TABLES_OPEN}
        raise DomainError("address_full", message, 429)
    lately = Match.objects.filter(klass=Match.Class.PEOPLE, created_at__gt=Now() - timedelta(hours=1))
    if lately.filter(**neighbours).distinct().count() >= settings.GUEST_TABLES_HOUR:
        message = ngettext(
            "Guests at your network address began %(count)d table within an hour: try again later, or log in.",
            "Guests at your network address began %(count)d tables within an hour: try again later, or log in.",
            settings.GUEST_TABLES_HOUR,
        ) % {"count": settings.GUEST_TABLES_HOUR}
        raise DomainError("address_too_quick", message, 429)


def _series() -> Series:
    return queue.open_series(Series.Kind.PRACTICE, "practice")


def _enqueue(
    person: Person,
    rules: RuleSet,
    seats: Sequence[Version | Person],
    deal_of: tuple[Match, int] | None = None,
) -> Match:
    kinds = {seat.bot.kind for seat in seats if isinstance(seat, Version)}
    return queue.enqueue(
        series=_series(),
        klass=Match.Class.PEOPLE,
        rules=rules,
        clocks=clocks_for(Bot.Kind.HTTP if Bot.Kind.HTTP in kinds else Bot.Kind.SANDBOX),
        seats=seats,
        rated=False,
        requested_by=person.user,
        deal_of=deal_of,
    )
