"""Pages of tournaments: a list, a page each, and the form with which authors enter and withdraw."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from botapi.errors import DomainError
from botapi.models import Bot, User
from botapi.views import author, own_bot
from games.queries import public_secret
from ladder import registration
from ladder import tournament_queries as queries
from ladder.tournament_models import Entrant, Tournament


def tournaments(request: HttpRequest) -> HttpResponse:
    """All tournaments in public, the newest first."""
    return render(request, "ladder/tournaments.html", {"tournaments": queries.tournaments()[:200]})


def tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """A tournament: phase, rules, podium, standings, rounds with their tables, entrants, registration."""
    found = _tournament(slug)
    entrants = queries.entrants_of(found)
    context = {
        "tournament": found,
        "entrants": [one for one in entrants if one.state == Entrant.State.ENTERED or one.version_id],
        "standings": queries.standings_of(found, entrants),
        "rounds": queries.rounds_of(found),
        "takes_entries": queries.takes_entries(found),
        "secret": public_secret(found.series) if found.series else None,
    }
    return render(request, "ladder/tournament.html", context | _own(found, request.user))


def _own(tournament: Tournament, user: Any) -> dict[str, Any]:
    """What a signed-in author may do here."""
    if not isinstance(user, User) or tournament.phase not in ("registration", "running"):
        return {"entries": [], "bots": []}
    bots: list[Bot] = queries.bots_to_enter(tournament, user) if queries.takes_entries(tournament) else []
    return {"entries": queries.own_entries(tournament, user), "bots": bots}


@login_required
@require_POST
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter one of one's bots."""
    found = _tournament(slug)
    bot = own_bot(request, request.POST.get("bot", ""))
    try:
        registration.register(found, bot, by=author(request))
    except DomainError as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, gettext("%(name)s is entered.") % {"name": bot.name})
    return redirect("tournament", slug)


@login_required
@require_POST
def withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    """Take one of one's bots out."""
    found = _tournament(slug)
    mine = queries.own_entries(found, author(request))
    entrant = next((one for one in mine if one.bot.name == request.POST.get("bot")), None)
    if entrant is None:
        raise Http404("You have no such entry.")
    try:
        registration.withdraw(entrant)
    except DomainError as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, gettext("%(name)s is withdrawn.") % {"name": entrant.bot.name})
    return redirect("tournament", slug)


def _tournament(slug: str) -> Tournament:
    found = queries.tournament_by_slug(slug)
    if found is None:
        raise Http404("There is no such tournament.")
    return found
