"""The check of a version (service.md): situations of every phase, then up to two deals in each seat.

Like a match it is a conversation without input or output: it yields :class:`Greet` and questions, and is sent
answers. The first fault ends it. It stops after :data:`STOP_S`, and a bot that was right until then passes,
as ``slow``.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from botapi import check_situations, faults, protocol
from botapi.drivers.base import BUSY_STATUSES, GRACE_MS, Answer, Question, raise_if_starved
from botapi.explanations import explain
from games.chair import Chair
from games.check_report import CheckReport
from games.match import Match
from games.questions import fault_of
from games.steps import Greet, Refused, SeatPlan, Setup

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from botapi.check_situations import Situation
    from engine import RuleSet
    from games.steps import Finished, Step

STOP_S: Final = 45.0
"""Nothing more is asked after so many seconds."""
OVER_S: Final = 58.0
"""A question that is open then is answered too late to count, and is no fault either."""
DEALS_SEED: Final = hashlib.sha256(b"thousand check deals").digest()
"""The deals are the same in every check, so that a check at home repeats the one of the service."""
DEALS_A_SEAT: Final = 2
SIGNATURE_TRIES: Final = 2
SIGNATURE_WORDS: Final = {
    True: "unsigned: a wrongly signed hello was accepted",
    False: "verified",
    None: "not established: no answer to a wrongly signed hello, asked twice",
}
HOUSE_OPPONENTS: Final = ("greedy", "counter", "random")
USUAL_DEALS: Final = 25
"""Deals of an ordinary match: what a bot draws from its bank in the check is projected to so many."""


class _Failed(Exception):  # noqa: N818 - the check failed
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _OutOfTime(Exception):  # noqa: N818 - the check's own time is over
    pass


class Check:
    """The check of the bot in seat 0 of ``setup``; ``now`` tells seconds."""

    def __init__(self, setup: Setup, now: Callable[[], float]) -> None:
        self._setup = setup
        self._plan = setup.seats[0]
        self._now = now
        self._began = now()
        self._report = CheckReport()
        self._session = 0
        self._drawn_ms = 0.0
        self._deals = 0
        self._cut = ""

    def play(self) -> Generator[Step, Any, CheckReport]:
        """Converse until the verdict stands."""
        report = self._report
        try:
            if self._plan.kind == "http":
                yield from self._check_signature()
            yield from self._situations(self._setup.ruleset, needed=True)
            for ruleset in check_situations.kinds():
                if ruleset.name != self._setup.ruleset.name:
                    yield from self._situations(ruleset, needed=False)
            yield from self._all_deals()
        except _Failed as failed:
            report.verdict, report.code, report.message = "failed", failed.code, str(failed)
        except _OutOfTime:
            self._out_of_time()
        else:
            self._warn_of_the_clock()
        return report

    def _out_of_time(self) -> None:
        self._report.verdict = "slow"
        self._report.message = (
            f"stopped after {STOP_S:.0f} s; everything up to then was right, but mind the clock"
        )

    def _warn_of_the_clock(self) -> None:
        bank = self._plan.clocks.bank_ms
        projected = self._drawn_ms / max(1, self._deals) * USUAL_DEALS
        if projected > bank:
            self._report.verdict = "slow"
            self._report.message = f"a match would draw about {projected:.0f} ms from a bank of {bank} ms"

    # -- steps -------------------------------------------------------------------------------------

    def _step(self, name: str, began: float, detail: str, *, ok: bool = True) -> None:
        self._report.add_step(name, (self._now() - began) * 1000, detail, ok=ok)

    def _check_time(self) -> None:
        if self._now() - self._began > STOP_S:
            raise _OutOfTime

    def _in_time(self, question: Question) -> Question:
        """The question with its limit cut so that the whole check is over within a minute."""
        left_ms = max(1.0, (self._began + OVER_S - self._now()) * 1000)
        if left_ms < question.limit_ms:
            question.limit_ms, self._cut = left_ms, question.id
        return question

    def _cut_off(self, question: Question, answer: Answer) -> bool:
        """Whether all that is wrong with the answer is that ``question`` was not given its usual time."""
        late = answer.used_ms > question.limit_ms + GRACE_MS
        return question.id == self._cut and late and answer.fault in ("", faults.TIMEOUT)

    def _check_signature(self) -> Generator[Step, Any, None]:
        """An endpoint that accepts a wrongly signed hello is shown as unsigned; that is no failure.

        Only an answer shows that it looks at signatures: where none comes it is asked once more.
        """
        began = self._now()
        for _ in range(SIGNATURE_TRIES):
            self._report.unsigned = yield from self._accepts_a_forged_hello()
            if self._report.unsigned is not None:
                break
        self._step("signature", began, SIGNATURE_WORDS[self._report.unsigned])

    def _accepts_a_forged_hello(self) -> Generator[Step, Any, bool | None]:
        chair, setup = self._session_of(self._setup.ruleset)
        question = chair.hello(setup)
        question.forged = True
        answer: Answer = yield question
        raise_if_starved(question, answer)
        if isinstance(answer.reply, protocol.HelloReply) and answer.reply.ready:
            self._report.add_turn(question, answer, "accepted a wrong signature")
            return True
        if not answer.status or answer.status in BUSY_STATUSES:
            self._report.add_turn(question, answer, "no answer to a wrong signature")
            return None
        self._report.add_turn(question, answer, "refused a wrong signature")
        return False

    def _situations(self, ruleset: RuleSet, *, needed: bool) -> Generator[Step, Any, None]:
        self._check_time()
        chair, setup = self._session_of(ruleset)
        ready = yield from self._greet(chair, setup, needed=needed)
        if not ready:
            return
        asked = check_situations.situations(ruleset)
        began_asking = self._now()
        for situation in asked:
            self._check_time()
            try:
                yield from self._ask(chair, setup, situation)
            except _Failed as failed:
                self._step(f"situations {ruleset.name}", began_asking, str(failed), ok=False)
                raise
        self._step(f"situations {ruleset.name}", began_asking, f"{len(asked)} answered")

    def _greet(self, chair: Chair, setup: Setup, *, needed: bool) -> Generator[Step, Any, bool]:
        ruleset = setup.ruleset
        began, name = self._now(), f"hello {ruleset.name}"
        question = chair.hello(setup)
        (answer,) = yield Greet((self._in_time(question),))
        raise_if_starved(question, answer)
        reply = answer.reply
        if answer.start_ms:
            self._report.add_step(f"start {ruleset.name}", answer.start_ms, "process started")
        if not isinstance(reply, protocol.HelloReply):
            self._report.add_turn(question, answer, answer.fault or faults.START)
            if self._cut_off(question, answer):
                raise _OutOfTime
            detail = answer.detail or f"no answer within {question.limit_ms:.0f} ms"
            text = explain(faults.START, detail, question, answer, rules=ruleset, purpose="check")
            self._step(name, began, text, ok=False)
            raise _Failed(faults.START, text)
        self._report.add_turn(question, answer, "ready" if reply.ready else "refused")
        if not reply.ready and needed:
            text = f"the bot refused the rules {ruleset.name}: {reply.reason or 'no reason given'}"
            self._step(name, began, text, ok=False)
            raise _Failed("refused", text)
        self._step(name, began, "ready" if reply.ready else f"refused politely: {reply.reason}")
        return reply.ready

    def _ask(self, chair: Chair, setup: Setup, situation: Situation) -> Generator[Step, Any, None]:
        clocks = self._plan.clocks
        message_id = chair.next_id(setup)
        content = protocol.act(
            message_id=message_id,
            match=setup.match,
            time={"act_ms": clocks.act_ms, "bank_ms": clocks.bank_ms, "hard_ms": clocks.hard_ms},
            view=situation.view,
            legal=situation.legal,
            events=situation.events,
            state=None,
        )
        limit = clocks.limit_ms(clocks.bank_ms)
        question = Question(0, "act", message_id, limit, content, situation.view, situation.legal)
        answer: Answer = yield self._in_time(question)
        raise_if_starved(question, answer)
        code, detail = fault_of(question, answer)
        self._report.add_turn(question, answer, code or "ok")
        if self._cut_off(question, answer):
            raise _OutOfTime
        if code:
            text = explain(code, detail, question, answer, rules=setup.ruleset, purpose="check")
            raise _Failed(code, text)

    def _all_deals(self) -> Generator[Step, Any, None]:
        for seat in range(self._setup.ruleset.players):
            began = self._now()
            try:
                yield from self._deals_in(seat)
            except _Failed as failed:
                self._step(f"deals in seat {seat}", began, str(failed), ok=False)
                raise
            self._step(f"deals in seat {seat}", began, f"{DEALS_A_SEAT} deals played")

    def _deals_in(self, seat: int) -> Generator[Step, Any, None]:
        """Two deals of a real match, house bots in the other seats."""
        setup = self._setup
        seats = [
            self._plan if place == seat else _house_seat(place, self._plan)
            for place in range(setup.ruleset.players)
        ]
        match = Match(
            Setup(
                match=self._next_match(),
                attempt=setup.attempt,
                ruleset=setup.ruleset,
                seed=DEALS_SEED,
                seats=tuple(seats),
                purpose="check",
                reveal_seed=True,
                max_deals=DEALS_A_SEAT,
            )
        )
        try:
            result = yield from self._until_a_fault(match)
        finally:
            self._take_turns(match.turns(seat))
        if isinstance(result, Refused):
            raise _Failed(result.code, result.message)
        if match.faults:
            raise _Failed(match.faults[0]["code"], match.faults[0]["message"])
        self._deals += len(match.game.deals)

    def _until_a_fault(self, match: Match) -> Generator[Step, Any, Finished | Refused | None]:
        """Talk as ``match`` does, to its end or its first fault."""
        play = match.play()
        value: Any = None
        while True:
            self._check_time()
            try:
                step = play.send(value)
            except StopIteration as stop:
                return cast("Finished | Refused", stop.value)
            if match.faults:
                play.close()
                return None
            asked = [self._in_time(question) for question in _questions(step)]
            value = yield step
            answers = value if isinstance(step, Greet) else [value]
            if any(map(self._cut_off, asked, answers)):
                raise _OutOfTime

    # -- bookkeeping -------------------------------------------------------------------------------

    def _next_match(self) -> str:
        """A name of its own for every session, so that no id is used twice."""
        self._session += 1
        return f"{self._setup.match}.{self._session}"

    def _session_of(self, ruleset: RuleSet) -> tuple[Chair, Setup]:
        """The bot in seat 0 of a table that plays by these rules, for greetings and situations."""
        seats = (self._plan,) * ruleset.players
        setup = replace(self._setup, match=self._next_match(), ruleset=ruleset, seats=seats, purpose="check")
        return Chair(0, self._plan, setup.seed), setup

    def _take_turns(self, turns: list[dict[str, Any]]) -> None:
        asked = [turn["used_ms"] for turn in turns if turn["n"]]
        self._drawn_ms += sum(max(0.0, used_ms - self._plan.clocks.act_ms) for used_ms in asked)
        self._report.add_turns_of(turns)


def _questions(step: Step) -> Sequence[Question]:
    if isinstance(step, Question):
        return (step,)
    return step.questions if isinstance(step, Greet) else ()


def _house_seat(place: int, like: SeatPlan) -> SeatPlan:
    name = HOUSE_OPPONENTS[place % len(HOUSE_OPPONENTS)]
    return SeatPlan(name=name, version="1", kind="house", clocks=like.clocks, house=name)
