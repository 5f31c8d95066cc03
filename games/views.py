"""Pages of matches: the list, and the replay with its exports."""

from __future__ import annotations

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import condition

from botapi.models import User
from engine import notation
from games import fairness as fair
from games import listing, queries, replays
from games.faces import cards
from games.kept_html import kept
from games.models import Match
from games.row_templates import rows
from games.step_views import views_of

MOST_NOTES = 200
"""So many of the bots' public notes are shown; the API has all of them."""


def matches(request: HttpRequest) -> HttpResponse:
    """Matches, the newest first: ``?before=`` or ``?after=`` one, narrowed.

    ``?state=``, ``?rated=1``, ``?series=`` by name, ``?bot=`` with ``&version=`` or ``&against=`` another bot.
    """
    asked = {
        name: request.GET.get(name, "") for name in ("state", "rated", "series", "bot", "version", "against")
    }
    before, after = (listing.number(request.GET.get(name, "")) for name in ("before", "after"))
    wish = listing.Wish(
        state=asked["state"],
        rated=asked["rated"] == "1",
        series=asked["series"],
        bot=asked["bot"],
        version=listing.version_number(asked["version"]),
        against=asked["against"],
    )
    page = listing.page(wish, before=before, after=after)
    context = {
        "page": page,
        "states": Match.State.choices,
        "asked": asked,
        "wish": wish,
        "series": listing.series_named(wish.series),
    }
    return render(request, "games/matches.html", context)


def match(request: HttpRequest, pk: int) -> HttpResponse:
    """One match: its replay once it is finished, before that how it stands in the queue."""
    return render(request, "games/match.html", match_context(request, pk))


def match_context(request: HttpRequest, pk: int) -> dict[str, Any]:
    """What the page of a match shows. Raises Http404."""
    found = _found(pk)
    stored = queries.public_record(found)
    record = json.loads(stored.body) if stored else None
    names = [str(seat["name"]) for seat in record["seats"]] if record else []

    def laid_out() -> str:
        address = reverse("games:match", args=[pk])
        return rows("games/replay.html", replay=replays.match_page(record or {}), base=address)

    return {
        "match": found,
        "replay": kept(f"replay-{pk}", stored.sha256, laid_out) if stored else None,
        "names": names,
        "deals": len(record["deals"]) if record else 0,
        "seed": record["seed"] if record else None,
        "seed_fits": fair.seed_fits(found, record["seed"]) if record else None,
        "notes": stored.notes[:MOST_NOTES] if stored else [],
        "views": views_of(names),
        "has_log": isinstance(request.user, User) and queries.readable_logs(request.user, found).exists(),
    }


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
