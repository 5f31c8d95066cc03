"""The table at which a person plays: the page, its changing part, and everything that is pressed there."""

from __future__ import annotations

from typing import Any, Final

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from botapi import addresses
from botapi.errors import DomainError
from engine import RuleSet
from games import guests, people, private_streams, table_results
from games.faces import SIGNS, SUIT_WORDS
from games.people import TableState
from games.people_models import Person
from games.table_face import SORTINGS, Face, face
from games.table_seats import distinct

SCRIPTED: Final = "X-Table"
"""A header of table.js: the answer is the changing part alone, not a page."""
SORTING_KEY: Final = "table_sorting"
BEFORE_THE_PLAY: Final = frozenset({"dark", "redeal", "auction"})
"""Phases during which the last deal's result lies in the middle."""
BOT_CHOICES: Final = (
    (0, gettext_lazy("no time at all")),
    (400, gettext_lazy("half a moment")),
    (900, gettext_lazy("about a second")),
    (2000, gettext_lazy("two seconds")),
    (4000, gettext_lazy("four seconds")),
)
TRICK_CHOICES: Final = (
    (0, gettext_lazy("no time at all")),
    (800, gettext_lazy("a moment")),
    (1600, gettext_lazy("a second and a half")),
    (3000, gettext_lazy("three seconds")),
    (6000, gettext_lazy("six seconds")),
)


@never_cache
@require_safe
def table(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of one's own table; ``?choose=9C`` has a card chosen that is not given yet."""
    person = _person(request)
    people.seen(pk, person)
    return render(request, "games/table/page.html", _context(request, _state(pk, person)))


@never_cache
@require_safe
def now(request: HttpRequest, pk: int) -> HttpResponse:
    """The changing part of the page; 204 where ``?v=`` is the version already. It also says that the person is there.

    ``?hidden=1`` comes from a page behind others.
    """
    person = _person(request)
    people.seen(pk, person, hidden="hidden" in request.GET)
    state = _state(pk, person)
    if request.GET.get("v") == str(state.version):
        return HttpResponse(status=204)
    return render(request, "games/table/_now.html", _context(request, state))


@require_POST
def act(request: HttpRequest, pk: int) -> HttpResponse:
    """Play an action: ``question`` with ``action``, or with ``verb`` and ``amount`` of a stepper."""
    person, notice = _person(request), ""
    asked = request.POST
    action = asked.get("action") or f"{asked.get('verb', '')}:{asked.get('amount', '')}"
    try:
        people.answer(
            pk, person, question=_number(asked.get("question", "")), action=action[:12].replace("\0", "")
        )
    except DomainError as error:
        if error.status == 404:
            raise Http404(error.message) from error
        notice = error.message
    return _shown(request, pk, person, notice)


@require_POST
def settings(request: HttpRequest, pk: int) -> HttpResponse:
    """Pace of the others, pause after a trick, order of the own cards."""
    person = _person(request)
    people.set_pace(
        person,
        bot_ms=_number(request.POST.get("bot_ms", ""), person.bot_ms),
        trick_ms=_number(request.POST.get("trick_ms", ""), person.trick_ms),
    )
    if request.POST.get("sorting") in SORTINGS:
        request.session[SORTING_KEY] = request.POST["sorting"]
    return _shown(request, pk, person)


@require_POST
def back(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the seat again from the bot that played for it."""
    person, notice = _person(request), ""
    try:
        people.come_back(pk, person)
    except DomainError as error:
        if error.status == 404:
            raise Http404(error.message) from error
        notice = error.message
    return _shown(request, pk, person, notice)


@require_POST
def leave(request: HttpRequest, pk: int) -> HttpResponse:
    """End the game for good; the page asked before."""
    person = _person(request)
    try:
        people.leave(pk, person)
    except DomainError as error:
        if error.status == 404:
            raise Http404(error.message) from error
        messages.warning(request, error.message)
        return redirect("games:table", pk)
    messages.info(request, _("The game is ended. It counts for nobody."))
    return redirect("games:play")


async def stream(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Server-sent events: a wake-up whenever the table's version has grown; the page then reads :func:`now`."""
    state = await sync_to_async(lambda: _state(pk, _person(request)))()
    seen = request.headers.get("Last-Event-ID", "")
    return await private_streams.stream(
        [state.channel], {"match": pk}, seen=seen, address=addresses.of(request)
    )


def _person(request: HttpRequest) -> Person:
    person = guests.person_of(request.user, request.session)
    if person is None:
        raise Http404("There is no such table of yours.")
    return person


def _state(pk: int, person: Person) -> TableState:
    try:
        return people.table_state(pk, person)
    except DomainError as error:
        raise Http404(error.message) from error


def _shown(request: HttpRequest, pk: int, person: Person, notice: str = "") -> HttpResponse:
    """After something was pressed: the changing part for the script, a redirect to the page for everybody else."""
    if request.headers.get(SCRIPTED):
        context = _context(request, _state(pk, person)) | {"notice": notice}
        return render(request, "games/table/_now.html", context)
    if notice:
        messages.warning(request, notice)
    return redirect("games:table", pk)


def _number(text: str, otherwise: int = 0) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else otherwise


def _context(request: HttpRequest, state: TableState) -> dict[str, Any]:
    rules = RuleSet.from_json(state.rules)
    names = distinct([_("You") if seat == state.seat else name for seat, name in enumerate(state.names)])
    sorting = request.session.get(SORTING_KEY, "suit")
    shown, found = None, None
    if state.view is not None:
        shown = face(
            rules,
            state.view,
            state.ask.legal if state.ask else (),
            names,
            events=state.events,
            chosen=request.GET.get("choose", "")[:2],
            sorting=sorting,
            away=[seat in state.absent for seat in range(len(names))],
        )
        found = table_results.results(state.match, state.view["deal"] + state.over, names, state.seat)
    result_shown = found is not None and shown is not None and shown.phase in BEFORE_THE_PLAY
    return {
        "state": state,
        "face": shown,
        "names": names,
        "results": found,
        "show_result": result_shown,
        "hide_talons": result_shown and not rules.talon_face_up,  # they lie face down, and the room is needed
        "clock": _clock(state),
        "still": _standing_still(state, shown),
        "sorting": sorting,
        "bot_choices": BOT_CHOICES,
        "trick_choices": TRICK_CHOICES,
        "rules_name": rules.base or rules.name,
        "rules_base": rules.base or rules.name,
        **_trump(shown),
        **_standing(state, names),
    }


def _trump(shown: Face | None) -> dict[str, Any]:
    suit = shown.trump if shown is not None else ""
    return {"trump_sign": SIGNS.get(suit, ""), "trump_word": SUIT_WORDS.get(suit, "")}


def _clock(state: TableState) -> dict[str, str]:
    """The time left as it is written where no script counts: "0:27"."""
    if state.ask is None:
        return {}
    parts = {"act": state.ask.left_ms - state.ask.bank_ms, "bank": state.ask.bank_ms}
    return {name: f"{ms // 60_000}:{ms // 1000 % 60:02}" for name, ms in parts.items()}


def _standing_still(state: TableState, shown: Face | None) -> str:
    """Why nothing moves although the game is on: the service was interrupted."""
    if shown is None or state.over or state.state == "running":
        return ""
    return _(
        "The service was interrupted and goes on in a moment. Your game is kept; all clocks stand still."
    )


def _standing(state: TableState, names: list[str]) -> dict[str, Any]:
    """The final standing of a finished game, best first."""
    if state.outcome is None:
        return {}
    rows = sorted(zip(state.outcome.places, names, state.outcome.totals, strict=True))
    return {"standing": rows, "winner": rows[0][1], "won": state.outcome.places[state.seat] == 1}
