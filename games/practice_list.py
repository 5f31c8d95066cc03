"""What came of practice: games that people won, and a person's own figures. Bots' matches are never read for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.fields.json import KeyTextTransform

from games.models import Match, Seat
from games.people_models import Person

ORDERS: Final[Mapping[str, tuple[str, ...]]] = {"": ("-match_id",), "points": ("-total", "-match_id")}
"""How won games can be ordered, the latest or the most points first, by what ``order`` of page and API says."""


@dataclass(frozen=True, slots=True)
class PracticeFigures:
    """A person's finished practice with one set of rules, whole games that the person played alone.

    ``points`` is the mean of the totals; ``declared`` and ``made`` count deals.
    """

    rules: str
    short: bool
    games: int
    won: int
    points: float
    declared: int
    made: int


def _played(*, alone: bool = True) -> QuerySet[Seat]:
    """People's seats of finished practice games; ``alone``: no house bot and no clock decided anything for them."""
    seats = Seat.objects.filter(
        person__isnull=False,
        match__klass=Match.Class.PEOPLE,
        match__state=Match.State.FINISHED,
        match__deal_of__isnull=True,
    )
    return seats.filter(absences=0) if alone else seats


def practice_wins(order: str = "") -> QuerySet[Seat]:
    """Won practice games in one of :data:`ORDERS`: ``name`` is the alias, ``total`` the points, ``match`` with its rules."""
    won = _played().filter(place=1).select_related("match")
    return won.order_by(*ORDERS[order])


def statistics_of(person: Person) -> list[PracticeFigures]:
    """The person's practice by rules, those played most first, in one query."""
    rows = (
        _played()
        .filter(person=person)
        .annotate(
            base=KeyTextTransform("base", "match__rules"), target=KeyTextTransform("target", "match__rules")
        )
        .values_list("match__rules_name", "base", "target")
        .annotate(
            games=Count("pk"),
            won=Count("pk", filter=Q(place=1)),
            points=Sum(F("total")),
            declared=Sum("deals_declared"),
            made=Sum("deals_made"),
        )
        .order_by("-games", "match__rules_name")
    )
    return [
        PracticeFigures(
            rules=name if base is None or name != "custom" else base,
            short=target == "500",
            games=games,
            won=won,
            points=points / games,
            declared=declared,
            made=made,
        )
        for name, base, target, games, won, points, declared, made in rows
    ]


def games_of(person: Person) -> QuerySet[Seat]:
    """All the person's tables, open ones and given up ones too, the latest first."""
    return Seat.objects.filter(person=person).select_related("match").order_by("-match_id")
