"""Pages of events: the list, a page each with registration, lobby and results, and what a person presses there."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from botapi.errors import DomainError
from botapi.models import User
from botapi.views import author
from games import guests
from games.queries import public_secret
from ladder.events import queries, registration, running, tables
from ladder.events.forms import EntryForm
from ladder.events.models import Event, EventBot, EventEntry, EventTable

LOBBY = ("script", "stream", "width", "height", "touch", "language")
"""What the device test of the lobby may tell."""


@require_safe
def events(request: HttpRequest) -> HttpResponse:
    """All events in public; for an organiser the own drafts too."""
    user = request.user
    mine = (
        queries.organised_by(user) if isinstance(user, User) and user.is_organiser else Event.objects.none()
    )
    context = {
        "events": queries.events()[:200],
        "drafts": mine.filter(phase=Event.Phase.DRAFT),
        "invitations": queries.invitations(user) if isinstance(user, User) else [],
    }
    return render(request, "events/events.html", context)


@never_cache
@require_safe
def event(request: HttpRequest, slug: str) -> HttpResponse:
    """An event: what it is, what the visitor can do now, who takes part, results once they are published."""
    found = _event(request, slug)
    return _page(request, found, EntryForm(found))


@never_cache
@require_safe
def of_table(request: HttpRequest, pk: int) -> HttpResponse:
    """From a table of one's own to its event."""
    person = guests.person_of(request.user, request.session)
    sat = EventTable.objects.filter(match=pk, match__seats__person=person).select_related("event")
    table = sat.first() if person is not None else None
    if table is None:
        raise Http404(_("There is no such table of yours."))
    return redirect("event", table.event.slug)


def _page(request: HttpRequest, found: Event, form: EntryForm, status: int = 200) -> HttpResponse:
    person = guests.person_of(request.user, request.session)
    place = queries.own_place(found, person)
    entries = queries.entries_of(found)
    context = {
        "event": found,
        "entries": entries,
        "mixed": tables.mixes(found),
        "substitutes": sum(entry.state == EventEntry.State.SUBSTITUTE for entry in entries),
        "place": place,
        "form": form,
        "check_in_at": registration.opens_check_in(found),
        "asked": [one for one in queries.asked_bots(found) if one.bot.owner_id == request.user.pk],
        "tables": queries.played_tables(found),
        "void_deals": queries.void_deals(found),
        "bots": queries.asked_bots(found) if found.published_at else [],
        "secret": public_secret(found.series) if found.series else None,
        "organises": _organises(request.user, found),
    }
    return render(request, "events/event.html", context, status=status)


def _organises(user: Any, event: Event) -> bool:
    return isinstance(user, User) and (user.is_staff or event.organiser_id == user.pk)


@login_required
@require_POST
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Register under an alias."""
    found = _event(request, slug)
    form = EntryForm(found, request.POST)
    if not form.is_valid():
        return _page(request, found, form, 422)
    person = guests.sit_down(request.user, request.session)
    try:
        entry = registration.enter(
            found,
            person,
            alias=form.cleaned_data.get("alias", ""),
            rules=form.cleaned_data["rules"],
            consent=form.cleaned_data["consent"],
        )
    except DomainError as refusal:
        form.add_error(
            "alias" if "alias" in refusal.code and "alias" in form.fields else None, refusal.message
        )
        return _page(request, found, form, refusal.status)
    messages.success(request, _("You are registered as %(alias)s.") % {"alias": entry.alias})
    return redirect("event", slug)


@login_required
@require_POST
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Withdraw."""
    return _do(request, slug, registration.leave, _("You take no part any more."))


@login_required
@require_POST
def check_in(request: HttpRequest, slug: str) -> HttpResponse:
    """The person is there; with what the device test found."""
    device = {name: request.POST[name] for name in LOBBY if request.POST.get(name)}
    return _do(
        request,
        slug,
        lambda entry: registration.check_in(entry, device=device),
        _("You are checked in. This page takes you to your table when play begins."),
    )


@login_required
@require_POST
def play(request: HttpRequest, slug: str) -> HttpResponse:
    """Sit down at one's table: the next block of one's own, or the table that waits."""
    found = _event(request, slug)
    entry = _own_entry(request, found)
    place = queries.own_place(found, entry.person)
    if place is not None and place.table is not None:
        return redirect("games:table", place.table.match_id)
    try:
        match = running.begin_block(entry)
    except DomainError as refusal:
        messages.error(request, refusal.message)
        return redirect("event", slug)
    return redirect("games:table", match.pk)


@login_required
@require_POST
def answer_for_bot(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The author of a bot agrees that it sits in the event, or declines."""
    user = author(request)
    asked = EventBot.objects.filter(event__slug=slug, pk=pk, bot__owner=user).select_related("event", "bot")
    found = asked.first()
    if found is None:
        raise Http404(_("You are not asked."))
    agrees = request.POST.get("agrees") == "1"
    try:
        registration.answer_for_bot(found, by=user, agrees=agrees)
    except DomainError as refusal:
        messages.error(request, refusal.message)
    else:
        said = _("%(bot)s will sit in %(event)s.") if agrees else _("%(bot)s will not sit in %(event)s.")
        messages.success(request, said % {"bot": found.bot.name, "event": found.event.name})
    return redirect("events")


def _do(request: HttpRequest, slug: str, act: Any, said: str) -> HttpResponse:
    found = _event(request, slug)
    try:
        act(_own_entry(request, found))
    except DomainError as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, said)
    return redirect("event", slug)


def _own_entry(request: HttpRequest, event: Event) -> EventEntry:
    person = guests.person_of(request.user, request.session)
    place = queries.own_place(event, person)
    if place is None:
        raise Http404(_("You take no part in this event."))
    return place.entry


def _event(request: HttpRequest, slug: str) -> Event:
    found = queries.event_by_slug(slug, request.user)
    if found is None:
        raise Http404(_("There is no such event."))
    return found
