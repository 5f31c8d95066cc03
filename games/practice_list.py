"""What came of practice: won games by alias with their points, and a person's own statistics. Apart from the ladder."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Avg, Count, Max, Q, QuerySet, Sum

from games.models import Match, Person, Seat


@dataclass(frozen=True)
class Statistics:
    """One person's finished practice games; ``place`` is the mean place, ``best`` the most points of a game won."""

    games: int
    won: int
    place: float | None
    best: int | None
    declared: int
    made: int


def _played() -> QuerySet[Seat]:
    """Seats of people at finished practice tables; a single deal played again is no game."""
    return Seat.objects.filter(
        person__isnull=False,
        match__klass=Match.Class.PEOPLE,
        match__state=Match.State.FINISHED,
        match__deal_of__isnull=True,
    )


def won_games(*, by_points: bool = False) -> QuerySet[Seat]:
    """The public list: seats of people who won, with their matches; the newest first or the most points first."""
    order = ("-total", "-match__finished_at") if by_points else ("-match__finished_at", "-match_id")
    return _played().filter(place=1).select_related("match").order_by(*order)


def statistics(person: Person) -> Statistics:
    """A person's own numbers, in one query."""
    won = Q(place=1)
    found = (
        _played()
        .filter(person=person)
        .aggregate(
            games=Count("pk"),
            won=Count("pk", filter=won),
            place=Avg("place"),
            best=Max("total", filter=won),
            declared=Sum("deals_declared"),
            made=Sum("deals_made"),
        )
    )
    return Statistics(**{**found, "declared": found["declared"] or 0, "made": found["made"] or 0})


def own_tables(person: Person) -> QuerySet[Match]:
    """The person's tables that wait or are played, the newest first."""
    open_states = (Match.State.QUEUED, Match.State.RUNNING)
    return Match.objects.filter(seats__person=person, state__in=open_states).order_by("-id")
