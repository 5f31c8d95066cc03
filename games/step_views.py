"""A deal of a finished match step by step: a page of one step for whoever has no script, all steps for replay.js."""

from __future__ import annotations

import json
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.http import conditional_page, require_POST, require_safe

from botapi import addresses
from botapi.errors import DomainError
from games import guests, practice, queries
from games.kept_html import kept
from games.models import Match
from games.moments import ALL, LIVE
from games.step_rows import neighbours, step_rows

DIGITS: Final = 4
"""Of a step's number; no deal has so many steps."""


@require_safe
def deal(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """One step of a deal: ``?step=``, seen by ``?view=`` (all, live or a seat)."""
    match, record, _sha256 = _public(pk)
    steps = step_rows(record, number)
    if not steps:
        raise Http404("There is no such deal.")
    names = [str(seat["name"]) for seat in record["seats"]]
    view = request.GET.get("view", ALL)
    asked = request.GET.get("step", "")
    place = min(max(int(asked), 1), len(steps)) if asked.isdecimal() and len(asked) <= DIGITS else 1
    step = steps[place - 1]
    context = {
        "match": match,
        "deal": number,
        "deals": len(record["deals"]),
        "step": step,
        "steps": len(steps),
        "view": view if view in (LIVE, *map(str, range(len(names)))) else ALL,
        "views": views_of(names),
        **neighbours(steps, place),
        "seat": step.moment.declarer if step.moment.declarer is not None else 0,
    }
    return render(request, "games/deal.html", context)


@require_safe
@conditional_page
def steps(_request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """All steps of a deal, a section each, to be shown one after another."""
    _match, record, sha256 = _public(pk)
    if not 0 < number <= len(record["deals"]):
        raise Http404("There is no such deal.")

    def made() -> str:
        rows = step_rows(record, number)
        return "".join(
            render_to_string("games/_moment.html", {"step": row, "steps": len(rows), "view": ALL})
            for row in rows
        )

    return HttpResponse(kept(f"steps-{number}", sha256, made))


@require_POST
def play(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Sit down with the cards that ``seat`` had in this deal; the practice table is unrated."""
    match, record, _sha256 = _public(pk)
    seat = request.POST.get("seat", "")
    own = int(seat) if seat in map(str, range(len(record["seats"]))) else 0
    try:
        person = guests.sit_down(
            request.user,
            request.session,
            alias=request.POST.get("alias", ""),
            address=addresses.of(request),
        )
        made = practice.play_deal(person, match=match, deal=number - 1, seat=own)
    except DomainError as error:
        messages.warning(request, error.message)
        return redirect("games:deal", pk, number)
    return redirect("games:table", made.pk)


def views_of(names: list[str]) -> list[tuple[str, str]]:
    """Who can look, with words: everybody's cards, one seat, or what all at the table saw."""
    seats = [(str(seat), _("as %(name)s saw it") % {"name": name}) for seat, name in enumerate(names)]
    return [(ALL, _("all hands")), *seats, (LIVE, _("as it looked live"))]


def _public(pk: int) -> tuple[Match, dict[str, Any], str]:
    """A match with its public record and the record's digest; 404 while it has none."""
    match = queries.match_details().filter(pk=pk).first()
    stored = queries.public_record(match) if match is not None else None
    if match is None or stored is None:
        raise Http404("This match has no public record yet.")
    return match, json.loads(stored.body), stored.sha256
