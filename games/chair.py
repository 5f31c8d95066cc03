"""One seat of a match: who sits there, its clock, faults and state, what it is asked, and its private log."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import msgspec

from botapi import faults, house, protocol
from botapi.drivers.base import Question
from games.questions import answer_text, rules_message

if TYPE_CHECKING:
    from botapi.drivers.base import Answer
    from engine import Game
    from games.steps import SeatPlan, Setup

LOGGED_BYTES = 2 * 1024 * 1024
"""Requests kept in a seat's private log.

Beyond, only those of faults are (each can be rebuilt from the record).
"""
SAID_CHARS = 1024 * 1024
"""The same for answers and a bot's own words: five times what a talkative bot says in a long match."""


class Chair:
    """What the match knows of one seat."""

    __slots__ = (
        "away",
        "bank_ms",
        "cursor",
        "decided",
        "draws",
        "faults",
        "logged",
        "notes",
        "number",
        "plan",
        "restarted",
        "said",
        "seat",
        "state",
        "stood_in",
        "subscribed",
        "turns",
    )

    def __init__(self, seat: int, plan: SeatPlan, seed: bytes) -> None:
        self.seat = seat
        self.plan = plan
        self.bank_ms: float = plan.clocks.bank_ms
        self.away = False
        self.decided = 0
        self.cursor = 0
        self.number = 0
        self.state: str | None = None
        self.faults = 0
        self.restarted = False
        self.stood_in = False
        self.subscribed: tuple[str, ...] = (
            protocol.SUBSCRIPTIONS if plan.kind in ("sandbox", "process") else ()
        )
        self.turns: list[dict[str, Any]] = []
        self.notes: list[dict[str, Any]] = []
        self.logged = self.said = 0
        self.draws = house.Draws(seed, seat)

    # -- what the seat is told ---------------------------------------------------------------------

    def next_id(self, setup: Setup) -> str:
        """The id of the next message to the seat."""
        number = self.number
        self.number = number + 1
        return protocol.message_id(setup.match, setup.attempt, self.seat, number)

    def hello(self, setup: Setup) -> Question:
        """The greeting."""
        message_id, clocks = self.next_id(setup), self.plan.clocks
        content = protocol.hello(
            message_id=message_id,
            match=setup.match,
            purpose=setup.purpose,
            rules=rules_message(setup.ruleset),
            seats=len(setup.seats),
            you=self.seat,
            seed_sha256=hashlib.sha256(setup.seed).hexdigest(),
            clocks=clocks,
            limits=self.plan.limits,
        )
        return Question(self.seat, "hello", message_id, clocks.start_ms, content)

    def act(self, setup: Setup, game: Game) -> Question:
        """The question for the decision that is the seat's now, with all that happened since the last one."""
        clocks = self.plan.clocks
        view, legal = game.view(self.seat), game.legal
        events, self.cursor = game.events(self.seat, self.cursor)
        message_id = self.next_id(setup)
        content = protocol.act(
            message_id=message_id,
            match=setup.match,
            time={"act_ms": clocks.act_ms, "bank_ms": int(self.bank_ms), "hard_ms": clocks.hard_ms},
            view=view,
            legal=legal,
            events=events,
            state=self.state,
        )
        return Question(self.seat, "act", message_id, clocks.limit_ms(self.bank_ms), content, view, legal)

    # -- what came of it ---------------------------------------------------------------------------

    def log_turn(self, question: Question, answer: Answer, action: str, verdict: str) -> None:
        """Add a question and what came of it to the private log; a person has none."""
        if self.plan.kind == "person":
            return
        request = question.encode()
        said, log = answer_text(answer), protocol.clip(getattr(answer.reply, "log", None), protocol.LOG_CHARS)
        self.logged += len(request)
        self.said += len(said) + len(log or "")
        fault = verdict not in faults.GOOD_VERDICTS
        entry: dict[str, Any] = {
            "n": self.number - 1,
            "request": msgspec.Raw(request) if fault or self.logged <= LOGGED_BYTES else None,
            "answer": said if fault or self.said <= SAID_CHARS else None,
            "action": action,
            "verdict": verdict,
            "wall_ms": round(answer.wall_ms, 3),
            "used_ms": round(answer.used_ms, 3),
            "cpu_ms": round(answer.cpu_ms, 3),
            "delay_ms": round(answer.delay_ms, 3),
        }
        if log and self.said <= SAID_CHARS:
            entry["log"] = log
        self.turns.append(entry)

    def keep_extras(self, reply: protocol.ActReply, *, deal: int, action: int) -> None:
        """What a bot gave with its action: its state for the next question, a note for everybody."""
        if reply.state is not None:
            self.state = reply.state
        if reply.note:
            note = protocol.clip(reply.note, protocol.NOTE_CHARS)
            self.notes.append({"deal": deal, "action": action, "note": note})
