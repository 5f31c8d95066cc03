"""The organiser's pages: make and change an event, ask bots, open and move it on, declare deals void, publish."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from botapi.errors import DomainError
from botapi.models import User
from botapi.views import author
from engine import PRESETS
from ladder.events import editing, queries, registration, running, tables
from ladder.events.forms import BotForm, EditForm, EventForm, VoidDealForm
from ladder.events.models import Event, EventBlock


@login_required
def new_event(request: HttpRequest) -> HttpResponse:
    """Make a draft."""
    user = author(request)
    if not (user.is_organiser or user.is_staff):
        raise PermissionDenied(_("Only an organiser makes events. Ask an operator for the role."))
    form = EventForm(request.POST or None)
    if form.is_valid() and (made := _made(form, user)):
        return redirect("event_organise", made.slug)
    return render(request, "events/new.html", {"form": form}, status=422 if form.errors else 200)


def _made(form: EventForm, user: User) -> Event | None:
    given = dict(form.cleaned_data)
    slug, name, rules = given.pop("slug"), given.pop("name"), PRESETS[given.pop("rules")]
    if Event.objects.filter(slug=slug).exists():
        form.add_error("slug", _("Another event has this address."))
        return None
    try:
        return running.create_event(slug, name=name, ruleset=rules, organiser=user, **given)
    except DomainError as refusal:
        form.add_error(None, refusal.message)
        return None


@login_required
def organise(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything about one's event on one page."""
    return _organise(request, _own(request, slug), BotForm(), VoidDealForm())


def _organise(
    request: HttpRequest, event: Event, bot_form: BotForm, void_form: VoidDealForm, status: int = 200
) -> HttpResponse:
    context = {
        "event": event,
        "bots": queries.asked_bots(event),
        "replaced": tables.would_not_begin(event),
        "entries": event.entries.select_related("person").order_by("pk"),
        "progress": queries.progress(event),
        "blocks": queries.blocks_of(event),
        "uncompared": tables.uncompared(event),
        "bot_form": bot_form,
        "void_form": void_form,
        "check_in_at": registration.opens_check_in(event),
    }
    return render(request, "events/organise.html", context, status=status)


@login_required
def edit_event(request: HttpRequest, slug: str) -> HttpResponse:
    """Change what can still be changed of one's event."""
    event = _own(request, slug)
    form = EditForm(event, request.POST or None)
    if form.is_valid():
        try:
            changed = editing.edit_event(event, **form.changes())
        except DomainError as refusal:
            form.add_error(None, refusal.message)
        else:
            messages.success(request, _("The event is changed."))
            return redirect("event_organise", changed.slug)
    context = {"event": event, "form": form}
    return render(request, "events/edit.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def take_bot_back(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Ask a bot no more."""
    asked = get_object_or_404(_own(request, slug).bots.select_related("event"), pk=pk)
    return _do(request, slug, lambda: editing.take_back(asked), _("The bot is taken back."))


@login_required
@require_POST
def ask_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask a bot's author for it."""
    event = _own(request, slug)
    form = BotForm(request.POST)
    if not form.is_valid():
        return _organise(request, event, form, VoidDealForm(), 422)
    bot, role = form.cleaned_data["bot"], form.cleaned_data["role"]
    return _do(request, slug, lambda: registration.ask_bot(event, bot, role), _("The bot is asked."))


@login_required
@require_POST
def take_step(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the event to its next phase by hand; beat does it in time."""
    event = _own(request, slug)
    act = running.BY_HAND.get(request.POST.get("step", ""))
    if act is None:
        raise Http404(_("There is no such step."))
    return _do(request, slug, lambda: act(event), _("Done."))


@login_required
@require_POST
def void_deal(request: HttpRequest, slug: str) -> HttpResponse:
    """Declare a deal void at every table that plays it."""
    event = _own(request, slug)
    form = VoidDealForm(request.POST)
    if not form.is_valid():
        return _organise(request, event, BotForm(), form, 422)
    given = form.cleaned_data
    block = EventBlock.objects.filter(event=event, number=given["block"]).select_related("event").first()
    if block is None:
        form.add_error("block", _("There is no such block."))
        return _organise(request, event, BotForm(), form, 422)
    user = author(request)
    return _do(
        request,
        slug,
        lambda: running.void_deal(block, deal=given["deal"], reason=given["reason"], by=user),
        _("The deal is void."),
    )


def _do(request: HttpRequest, slug: str, act: Callable[[], Any], said: str) -> HttpResponse:
    try:
        act()
    except DomainError as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, said)
    return redirect("event_organise", slug)


def _own(request: HttpRequest, slug: str) -> Event:
    found = queries.organised_by(author(request)).filter(slug=slug).first()
    if found is None:
        raise Http404(_("You organise no such event."))
    return found
