"""The page of a match with what the ladder knows of it: its season, and ratings before and after."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from games import views
from games.models import Match
from ladder.models import RatingEvent, Season
from ladder.ratings import Z95


@dataclass(frozen=True, slots=True)
class SeatRating:
    """A version's rating before and after a match, Elo, and the half width of its interval after it."""

    before: float
    after: float
    half: float

    @property
    def change(self) -> int:
        """By how much it changed, between the numbers as shown."""
        return round(self.after) - round(self.before)


@dataclass(frozen=True, slots=True)
class MatchRatings:
    """What a match did to ratings, by seat; ``withdrawn`` when it was declared void after it had been rated."""

    seats: tuple[SeatRating | None, ...]
    withdrawn: bool


def match(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of :func:`games.views.match`, with season and ratings."""
    context = views.match_context(request, pk)
    found: Match = context["match"]
    ratings = ratings_of(found) if found.rated else None
    season = Season.objects.filter(series=found.series_id).first()
    return render(request, "ladder/match.html", {**context, "ratings": ratings, "season": season})


def ratings_of(match: Match) -> MatchRatings | None:
    """The ratings that came of a match; None while it is not rated. One query besides the seats."""
    events = list(RatingEvent.objects.filter(match=match).order_by("seq"))
    rated = next((event for event in events if event.kind == RatingEvent.Kind.MATCH), None)
    if rated is None:
        return None
    payload = json.loads(rated.payload)
    before = {version: r for version, _place, r, _v, _n in payload["seats"]}
    after = {version: (r, v) for version, r, v, _n in payload["states"]}
    return MatchRatings(
        seats=tuple(
            SeatRating(
                before[seat.version_id], after[seat.version_id][0], Z95 * math.sqrt(after[seat.version_id][1])
            )
            if seat.version_id in before
            else None
            for seat in match.seats.all()
        ),
        withdrawn=any(event.kind == RatingEvent.Kind.VOID for event in events),
    )
