"""A recorded match once more for one of its bots: the requests it got, and how it answers them now.

Like a match it is a conversation without input or output. Whatever the bot answers, the recorded action is taken,
so that every later request is the one of the match.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botapi import faults, protocol
from botapi.drivers.base import GRACE_MS, Answer, Question
from botapi.explanations import explain
from engine import RuleSet
from games.match import Match
from games.questions import answer_text
from games.steps import Greet, Refused, SeatPlan, Setup

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from games.steps import Step


@dataclass(slots=True)
class RerunReport:
    """What was found: decisions asked, those answered as recorded, the others, and the faults."""

    asked: int = 0
    same: int = 0
    different: list[dict[str, Any]] = field(default_factory=list)
    faults: list[dict[str, Any]] = field(default_factory=list)
    refused: str = ""


class Rerun:
    """Asks the bot of ``plan`` what seat ``seat`` was asked in ``record``, which must verify and have its seed.

    A seat that was stood in for is asked up to then, as in the match.
    """

    def __init__(self, record: Mapping[str, Any], seat: int, plan: SeatPlan) -> None:
        self._record = record
        self._seat = seat
        self._rules = RuleSet.from_json(record["rules"])
        others = SeatPlan(name="other", version="", kind="person", clocks=plan.clocks)
        self._match = Match(
            Setup(
                match=record["match"],
                attempt=1,
                ruleset=self._rules,
                seed=bytes.fromhex(record["seed"]),
                seats=tuple(plan if place == seat else others for place in range(self._rules.players)),
            )
        )
        self._plan = plan
        self._ends = [
            (entry["deal"], entry["action"]) for entry in record["stand_ins"] if entry["seat"] == seat
        ]
        self.report = RerunReport()

    def play(self) -> Generator[Step, Any, RerunReport]:
        """Converse until the record, or the bot's part in it, is over."""
        play, value = self._match.play(), None
        greeting: Greet | None = None
        while True:
            try:
                step = play.send(value)
            except StopIteration as stop:
                if isinstance(stop.value, Refused):
                    self.report.refused = stop.value.message
                return self.report
            value = None
            if isinstance(step, Greet):
                greeting = step
                value = yield step
            elif not isinstance(step, Question):
                yield step
            elif step.seat != self._seat:
                value = self._recorded(step)
            else:
                answer: Answer = yield step
                value = self._compare(step, answer)
                if answer.fault == faults.CRASH and greeting is not None:
                    yield greeting  # once, as in the match
                    greeting = None
                if self._place in self._ends:
                    play.close()
                    return self.report

    @property
    def _place(self) -> tuple[int, int]:
        return self._match.game.deal, len(self._match.game.actions)

    def _recorded(self, question: Question, state: str | None = None) -> Answer:
        deal, action = self._place
        text = self._record["deals"][deal]["actions"][action][1]
        return Answer(reply=protocol.ActReply(id=question.id, action=text, state=state))

    def _compare(self, question: Question, answer: Answer) -> Answer:
        """Note how the bot's answer differs; what the match takes is the record's."""
        deal, action = self._place
        reply = answer.reply
        given = reply.action if isinstance(reply, protocol.ActReply) else ""
        recorded = self._recorded(question, getattr(reply, "state", None))
        recorded.used_ms = min(answer.used_ms, question.limit_ms)
        wanted = recorded.reply.action if isinstance(recorded.reply, protocol.ActReply) else ""
        self.report.asked += 1
        code, detail = answer.fault, answer.detail
        if not code and answer.used_ms > question.limit_ms + GRACE_MS:
            code, detail = (
                faults.TIMEOUT,
                f"answered after {answer.used_ms:.0f} ms of {question.limit_ms:.0f} ms",
            )
        elif not code and given not in question.legal:
            code = faults.ILLEGAL
        place = {"deal": deal, "action": action, "id": question.id, "recorded": wanted}
        if code:
            text = explain(code, detail, question, answer, rules=self._rules, purpose="match")
            self.report.faults.append({**place, "code": code, "answer": answer_text(answer), "message": text})
        elif given != wanted:
            self.report.different.append({**place, "answered": given})
        else:
            self.report.same += 1
        return recorded
