"""Pages of matches: the list, and the replay with its exports."""

from __future__ import annotations

import json

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import condition

from botapi.models import User
from engine import notation
from games import fairness as fair
from games import listing, queries, replays
from games.faces import cards
from games.models import Match

MOST_NOTES = 200
"""So many of the bots' public notes are shown; the API has all of them."""


def matches(request: HttpRequest) -> HttpResponse:
    """Matches, the newest first: ``?state=``, ``?bot=``, ``?against=`` another bot; ``?before=`` or ``?after=`` one."""
    asked = {name: request.GET.get(name, "") for name in ("state", "bot", "against")}
    bounds = {name: listing.number(request.GET.get(name, "")) for name in ("before", "after")}
    page = listing.page(**asked, **bounds)
    context = {"page": page, "states": Match.State.choices, "asked": asked}
    return render(request, "games/matches.html", context)


def match(request: HttpRequest, pk: int) -> HttpResponse:
    """One match: its replay once it is finished, before that how it stands in the queue."""
    found = _found(pk)
    stored = queries.public_record(found)
    record = json.loads(stored.body) if stored else None
    context = {
        "match": found,
        "replay": replays.match_page(record) if record else None,
        "seed": record["seed"] if record else None,
        "notes": stored.notes[:MOST_NOTES] if stored else [],
        "has_log": isinstance(request.user, User) and queries.readable_logs(request.user, found).exists(),
    }
    return render(request, "games/match.html", context)


def fairness(request: HttpRequest, pk: int) -> HttpResponse:
    """The check of every deck of a match against what was published before it; opening the page runs it."""
    found = fair.fairness(_found(pk))
    decks = [(deck, cards(deck.deck)) for deck in found.check.decks] if found.check else []
    return render(request, "games/fairness.html", {"match": found.match, "fair": found, "decks": decks})


def _etag(_request: HttpRequest, pk: int) -> str | None:
    digest = listing.record_sha256(pk)
    return f'"{digest}"' if digest else None


@condition(etag_func=_etag)
def record_json(_request: HttpRequest, pk: int) -> HttpResponse:
    """The record of a finished match, its stored bytes."""
    return HttpResponse(_body(pk), content_type="application/json")


@condition(etag_func=_etag)
def record_text(_request: HttpRequest, pk: int) -> HttpResponse:
    """The record in text notation."""
    return HttpResponse(notation.write(json.loads(_body(pk))), content_type="text/plain; charset=utf-8")


def _found(pk: int) -> Match:
    found = queries.match_details().filter(pk=pk).first()
    if found is None:
        raise Http404("There is no such match.")
    return found


def _body(pk: int) -> str:
    stored = queries.public_record(_found(pk))
    if stored is None:
        raise Http404("This match has no public record yet.")
    return stored.body
