"""The report of a check as its author reads it: steps, the request that failed, the answer, stderr."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from botapi import fault_words
from botapi.models import Version

SHOWN_TURNS: Final = 60
SHOWN_TEXT: Final = 20_000
SHOWN_NOTES: Final = 40
STEPS: Final[Mapping[str, Promise]] = {
    "signature": _("signature"),
    "start": _("start of %(what)s"),
    "hello": _("greeting at %(what)s"),
    "situations": _("situations of %(what)s"),
    "deals in seat": _("deals in seat %(what)s"),
}
"""What the steps of a check are called; the name of rules, or a seat, may follow."""
LINE: Final = 90
"""Characters of a line of a shown message before it is broken."""


@dataclass(frozen=True)
class Turn:
    """One request and what came; both as text for people. ``request`` is empty where it was not kept."""

    number: int
    request: str
    answer: str
    ms: float
    verdict: str


@dataclass(frozen=True)
class Report:
    """A check's report, cut to what a page can show.

    ``failing`` is the request that decided it, which is the last one; ``notes`` what the driver noticed, such as
    answers with a wrong id. ``words`` is the message in the reader's language, empty where it stays English.
    """

    verdict: str
    code: str
    message: str
    words: str
    steps: list[dict[str, Any]]
    stderr: str
    notes: list[str]
    failing: Turn | None
    turns: list[Turn]
    turns_left_out: int


def report_of(version: Version) -> Report | None:
    """The report of a checked version; None before its first check."""
    body = version.check_report
    if not body:
        return None
    turns = [
        shown_turn(turn, number=number, ms=turn.get("ms"))
        for number, turn in enumerate(body.get("turns", []), start=1)
    ]
    failed = body.get("verdict") == "failed"
    return Report(
        verdict=body.get("verdict", ""),
        code=body.get("code", ""),
        message=body.get("message", ""),
        words=fault_words.retold(body.get("message", "")),
        steps=[step | {"words": step_words(step["name"])} for step in body.get("steps", [])],
        stderr=str(body.get("stderr") or "")[-SHOWN_TEXT:],
        notes=[str(line) for line in body.get("notes") or []][:SHOWN_NOTES],
        failing=turns[-1] if failed and turns else None,
        turns=turns[-SHOWN_TURNS:],
        turns_left_out=max(0, len(turns) - SHOWN_TURNS),
    )


def step_words(name: str) -> str:
    """A step as people read it: "deals in seat 0" is "deals in seat 1" to them, who count from 1."""
    kind, _space, what = (name, "", "") if name in STEPS else name.rpartition(" ")
    if kind not in STEPS:
        return name
    return str(STEPS[kind]) % {"what": int(what) + 1 if kind == "deals in seat" else what}


def shown_turn(turn: Mapping[str, Any], *, number: int, ms: float | None) -> Turn:
    """A turn of a report or of a private log, which name its number and milliseconds each in their own way."""
    request = turn.get("request")
    if not request:
        text = ""
    elif isinstance(request, dict):
        text = pretty(request)
    else:
        text = str(request)
    return Turn(
        number=number,
        request=text[:SHOWN_TEXT],
        answer=str(turn.get("answer") or "")[:SHOWN_TEXT],
        ms=float(ms or 0),
        verdict=str(turn.get("verdict", "")),
    )


def pretty(message: Mapping[str, Any]) -> str:
    """A message for reading: a line a key, and what is too long for a line once more a line an item."""
    lines = [f"  {json.dumps(key)}: {_on_lines(value)}" for key, value in message.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def _on_lines(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= LINE or not isinstance(value, dict | list):
        return text
    if isinstance(value, list) and not any(isinstance(inner, dict | list) for inner in value):
        return text
    if isinstance(value, dict):
        items = [
            f"{json.dumps(key)}: {json.dumps(inner, ensure_ascii=False)}" for key, inner in value.items()
        ]
    else:
        items = [json.dumps(inner, ensure_ascii=False) for inner in value]
    return text[0] + "\n    " + ",\n    ".join(items) + "\n  " + text[-1]
