"""A live table as pages draw it: the table's own face (games.table_face) seen from nobody's seat.

Pure but for translations and templates; reads what :mod:`games.live` told, never a hand.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from engine import RuleSet
from games.faces import SIGNS, SUIT_WORDS
from games.stream_hub import Event, Form, as_json, frame
from games.table_face import Face, face
from games.table_seats import turn

NOBODY: Final[dict[str, Any]] = {
    "you": 0,
    "watched": True,
    "hand": [],
    "dealt": [],
    "received": [],
    "given": [],
    "discarded": [],
}
"""What the view of a seat has beyond the public one, empty: seat 0 is drawn first and is not called "you"."""
CHANNEL: Final = "live:"
SHAPES: Final = {"table": "games/live/_table.html", "card": "games/live/_card.html"}
"""Pieces of pages that streams push, and their templates."""
LINES: Final = 8
"""So many of the latest moves are told in words."""


@dataclass(frozen=True, slots=True)
class Before:
    """How the deal before ended: by seat the name, the change and the total."""

    declarer: str
    contract: int | None
    made: bool
    void: bool
    rows: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class LiveFace:
    """The table, the trump's sign and name, who decides now, the latest moves in words, and how the deal before ended."""

    face: Face
    trump_sign: str
    trump_word: str
    now: str
    latest: tuple[str, ...]
    before: Before | None


def live_face(state: Mapping[str, Any]) -> LiveFace:
    """What a page draws of a told state, in the active language."""
    view, names = {**state["view"], **NOBODY}, state["names"]
    shown = face(_rules(json.dumps(state["rules"])), view, (), names, events=state["events"])
    return LiveFace(
        face=shown,
        trump_sign=SIGNS.get(shown.trump, ""),
        trump_word=str(SUIT_WORDS.get(shown.trump, "")),
        now=_now(view, names),
        latest=tuple(line.text for line in shown.lines[-LINES:]),
        before=_before(state),
    )


def _now(view: Mapping[str, Any], names: Sequence[str]) -> str:
    """Whom the table waits for, as far as everybody can know."""
    awaited = turn(view)
    return "" if awaited is None else _("Now: %(name)s") % {"name": names[awaited]}


def _before(state: Mapping[str, Any]) -> Before | None:
    told, names = state["before"], state["names"]
    if told is None:
        return None
    declarer, contract = told["declarer"], told["contract"]
    made = declarer is not None and contract is not None and told["points"][declarer] >= contract
    return Before(
        declarer="" if declarer is None else names[declarer],
        contract=contract,
        made=made,
        void=told["void"],
        rows=tuple(zip(names, told["scores"], told["totals"], strict=True)),
    )


@functools.lru_cache(maxsize=256)
def _rules(text: str) -> RuleSet:
    return RuleSet.from_json(json.loads(text))


def drawn(shape: str, match_id: int, state: Mapping[str, Any] | None) -> str:
    """A piece of a page, ``shape`` of :data:`SHAPES`, in the active language."""
    over = "" if state is None else state.get("over", "")
    shown = None if state is None or over else live_face(state)
    return render_to_string(SHAPES[shape], {"match_id": match_id, "live": shown, "over": over})


@functools.lru_cache(maxsize=64)
def form_of(name: str) -> Form | None:
    """How a stream ``?as=table-cs`` writes events: those of tables as that piece of a page in that language."""
    shape, _dash, language = name.partition("-")
    if shape not in SHAPES or language not in dict(settings.LANGUAGES):
        return None

    def write(event: Event) -> bytes:
        if not event.channel.startswith(CHANNEL):
            return as_json(event)
        state = msgspec.json.decode(event.data)
        with translation.override(language):
            return frame(event.channel, drawn(shape, state["match"], state).encode(), event.id)

    return write
