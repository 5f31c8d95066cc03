"""Sitting down to practise, and what came of it: ``/play/`` and ``/practice/``."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_safe

from botapi import addresses
from botapi.errors import DomainError
from engine import PRESETS
from games import guests, practice, practice_list
from games.models import Match
from games.people_models import Person
from games.queue import OPEN_STATES
from games.table_choices import OPPONENTS, Choice, bots_of_others, groups, last, remember, usual

PER_PAGE = 50
MOST_OPPONENTS = 3
MOST_TABLES = 10


@require_http_methods(["GET", "HEAD", "POST"])
def play(request: HttpRequest) -> HttpResponse:
    """Choose a game and sit down at once; nothing has to be chosen. A session begins with the first game."""
    if request.method == "POST":
        return _sit_down(request)
    person = guests.person_of(request.user, request.session)
    chosen = last(request.session, get_language() or "en")
    seats = chosen.seated()
    context = {
        "person": person,
        "open_tables": _open_tables(person) if person else [],
        "groups": groups(chosen),
        "chosen": chosen,
        "opponents": [*OPPONENTS.items(), *((name, name) for name in bots_of_others(request.user))],
        "seats": [
            (number, seats[number] if number < len(seats) else seats[-1]) for number in range(MOST_OPPONENTS)
        ],
    }
    return render(request, "games/table/play.html", context)


@require_safe
def practice_games(request: HttpRequest) -> HttpResponse:
    """Won practice games by alias, ``?order=points`` or the newest first, and one's own statistics."""
    by_points = request.GET.get("order") == "points"
    page = Paginator(practice_list.practice_wins("points" if by_points else ""), PER_PAGE)
    person = guests.person_of(request.user, request.session)
    own = practice_list.statistics_of(person) if person else []
    context = {
        "page": page.get_page(request.GET.get("page")),
        "by_points": by_points,
        "person": person,
        "own": own,
    }
    return render(request, "games/table/practice.html", context)


def _open_tables(person: Person) -> list[Match]:
    """The person's tables that wait or are played, the latest first."""
    return [
        seat.match
        for seat in practice_list.games_of(person).filter(match__state__in=OPEN_STATES)[:MOST_TABLES]
    ]


def _sit_down(request: HttpRequest) -> HttpResponse:
    choice = _asked(request)
    try:
        person = guests.sit_down(
            request.user,
            request.session,
            alias=request.POST.get("alias", ""),
            address=addresses.of(request),
        )
        match = practice.start_practice(
            person, rules=choice.rules, opponents=choice.seated(), short=choice.short
        )
    except DomainError as error:
        messages.warning(request, error.message)
        return redirect("games:play")
    remember(request.session, choice)
    return redirect("games:table", match.pk)


def _asked(request: HttpRequest) -> Choice:
    """What the form says; ``now`` is the usual game, ``again`` the one before."""
    asked, language = request.POST, get_language() or "en"
    if "rules" not in asked or "again" in asked or "now" in asked:
        return last(request.session, language) if "again" in asked else usual(language)
    rules = asked["rules"] if asked["rules"] in PRESETS else usual(language).rules
    opponents = tuple(
        name[:60] for name in asked.getlist("opponent")[:MOST_OPPONENTS] if name.isprintable() and name
    )
    return Choice(rules, opponents or ("counter",), short="short" in asked)
