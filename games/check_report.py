"""What the check of a version found: its verdict, the steps it took, and every request with its answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from games.questions import answer_text

if TYPE_CHECKING:
    from botapi.drivers.base import Answer, Question


@dataclass(slots=True)
class CheckReport:
    """``verdict`` is passed, failed or slow (passed, but the clock will be tight).

    ``unsigned``: whether an endpoint accepts a wrong signature; None where that could not be established. The
    last of the ``turns`` of a failed check is what it failed at.
    """

    verdict: str = "passed"
    code: str = ""
    message: str = ""
    steps: list[dict[str, Any]] = field(default_factory=list)
    turns: list[dict[str, Any]] = field(default_factory=list)
    unsigned: bool | None = False

    def to_json(self) -> dict[str, Any]:
        """The report as it travels."""
        return {
            "verdict": self.verdict,
            "code": self.code,
            "message": self.message,
            "steps": self.steps,
            "turns": self.turns,
            "unsigned": self.unsigned,
        }

    def add_step(self, name: str, ms: float, detail: str, *, ok: bool = True) -> None:
        """A step that took ``ms``."""
        self.steps.append({"name": name, "ms": round(ms, 1), "ok": ok, "detail": detail})

    def add_turn(self, question: Question, answer: Answer, verdict: str) -> None:
        """A question of the check's own."""
        request, ms = msgspec.Raw(question.encode()), round(answer.used_ms, 1)
        self._add(request, answer_text(answer), ms, verdict)

    def add_turns_of(self, turns: list[dict[str, Any]]) -> None:
        """The private log of a seat in a match that the check played."""
        for turn in turns:
            self._add(turn["request"], turn["answer"], turn["used_ms"], turn["verdict"])

    def _add(self, request: msgspec.Raw | None, answer: str | None, ms: float, verdict: str) -> None:
        self.turns.append({"request": request, "answer": answer, "ms": ms, "verdict": verdict})
