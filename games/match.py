"""One match as a conversation without input or output (architecture.md, "The flow of one match").

:meth:`Match.play` is a generator. It yields what it wants (:class:`Greet`, a :class:`Question`,
:class:`Tell`, :class:`DealOver`) and is sent answers; whoever drives it owns processes, sockets and time.
Clocks, faults, default actions, the stand-in and the record are decided here, exactly as protocol.md section
5 says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from botapi import faults, house, protocol
from botapi.drivers.base import GRACE_MS, Answer, Question, raise_if_starved
from botapi.errors import PlatformError
from botapi.explanations import explain
from engine import Game, IllegalAction
from games.chair import Chair
from games.questions import answer_text, fault_of, hands_as_dealt
from games.steps import AWAY, Acted, DealOver, Finished, Greet, Refused, Setup, Step, Taken, Tell

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

STAND_IN = "counter"
"""The house bot that takes over after the third fault."""
BEFORE_THE_RESTART = "Request and answer were lost when the service was restarted."


class Match:
    """A match in progress.

    ``game``, ``decisions`` and ``open_ms`` (the open question's limit) may be read at any time.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.game = Game(setup.ruleset, seed=None if setup.decks else setup.seed, decks=setup.decks or None)
        self.decisions = 0
        self.open_ms = 0.0
        self.faults: list[dict[str, Any]] = []
        self.stand_ins: list[dict[str, int]] = []
        self._chairs = [Chair(seat, plan, setup.seed) for seat, plan in enumerate(setup.seats)]
        self._deals_told = 0
        if len(setup.seats) != setup.ruleset.players:
            raise PlatformError(f"{len(setup.seats)} seats for a table of {setup.ruleset.players}")
        for seat, bank_ms in setup.banks.items():
            self._chairs[seat].bank_ms = bank_ms
        for seat in setup.away:
            self._chairs[seat].away = True

    # -- people ------------------------------------------------------------------------------------

    def decided(self, seat: int) -> int:
        """How many decisions the seat has taken so far."""
        return self._chairs[seat].decided

    def is_away(self, seat: int) -> bool:
        """Whether a house bot plays for the person of this seat."""
        return self._chairs[seat].away

    def set_away(self, seat: int, away: bool) -> None:
        """A house bot decides for the person of this seat from the next question on, or no longer."""
        self._chairs[seat].away = away

    # -- the conversation --------------------------------------------------------------------------

    def play(self) -> Generator[Step, Any, Finished | Refused]:
        """Converse until the match is over. Raises PlatformError when the service is at fault."""
        refused = yield from self._greet()
        if refused is not None:
            return refused
        self._replay_journal()
        game, limit = self.game, self.setup.max_deals
        if self.setup.journaled:
            yield Acted(None, self.decisions)
        while (seat := game.seat) is not None and (limit is None or len(game.deals) < limit):
            chair = self._chairs[seat]
            action, how = yield from self._decide(chair)
            game.apply(action)
            self.decisions += 1
            chair.decided += 1
            if self.setup.journaled:
                bank_ms = int(chair.bank_ms) if chair.plan.kind == "person" else None
                yield Acted(Taken(seat, action, how), self.decisions - 1, bank_ms)
            if len(game.deals) != self._deals_told:
                yield from self._tell_deals()
        self.open_ms = 0.0
        return (yield from self._finish())

    def _greet(self) -> Generator[Step, Any, Refused | None]:
        chairs = [chair for chair in self._chairs if chair.plan.kind in ("sandbox", "http", "process")]
        if not chairs:
            return None
        questions = tuple(chair.hello(self.setup) for chair in chairs)
        self.open_ms = max(question.limit_ms for question in questions)
        answers: Sequence[Answer] = yield Greet(questions)
        for chair, question, answer in zip(chairs, questions, answers, strict=True):
            refused = self._judge_hello(chair, question, answer)
            if refused is not None:
                return refused
        return None

    def _decide(self, chair: Chair) -> Generator[Step, Any, tuple[str, str]]:
        """The seat's action and how it came about (:class:`Taken`)."""
        if chair.stood_in:
            return self._house(STAND_IN, chair), ""
        if chair.plan.kind == "house":
            return self._house(chair.plan.house, chair), ""
        if chair.away:
            return self._house(STAND_IN, chair), AWAY
        question = chair.act(self.setup, self.game)
        self.open_ms = question.limit_ms
        answer: Answer = yield question
        if answer.fault == AWAY:
            chair.bank_ms = chair.plan.clocks.bank_after(chair.bank_ms, answer.used_ms)
            return self._house(STAND_IN, chair), AWAY
        action, code = self._judge(chair, question, answer)
        if answer.fault == faults.CRASH and chair.plan.kind in ("sandbox", "process") and not chair.stood_in:
            yield from self._restart(chair)
        return action, code

    def _house(self, name: str, chair: Chair) -> str:
        return house.choose(name, self.game.view(chair.seat), self.game.legal, chair.draws)

    def _restart(self, chair: Chair) -> Generator[Step, Any, None]:
        """Once a match a crashed process is started anew and greeted.

        Should that fail, its next question faults.
        """
        if chair.restarted:
            return
        chair.restarted = True
        question = chair.hello(self.setup)
        self.open_ms = question.limit_ms
        (answer,) = yield Greet((question,))
        refused = self._judge_hello(chair, question, answer)
        if refused is not None:
            chair.turns[-1]["verdict"] = "restart failed: " + refused.message

    def _tell_deals(self) -> Generator[Step, Any, None]:
        for deal in range(self._deals_told, len(self.game.deals)):
            for chair in self._listeners("deal_end"):
                message = protocol.deal_end(
                    message_id=chair.next_id(self.setup),
                    match=self.setup.match,
                    deal=deal,
                    record=self.game.deals[deal],
                    hands=hands_as_dealt(self.game.deals[deal], self.setup.ruleset)
                    if self._may_see_hands(chair)
                    else None,
                )
                yield Tell(chair.seat, "deal_end", protocol.encode(message))
            yield DealOver(deal)
        self._deals_told = len(self.game.deals)

    def _finish(self) -> Generator[Step, Any, Finished]:
        record = self.record()
        result = record["result"]
        if result is not None:
            for chair in self._listeners("match_end"):
                message = protocol.match_end(
                    message_id=chair.next_id(self.setup),
                    match=self.setup.match,
                    result=result,
                    faults=chair.faults,
                    seed=self.setup.seed.hex() if self.setup.reveal_seed else None,
                    replay=f"/matches/{self.setup.match}/",
                )
                yield Tell(chair.seat, "match_end", protocol.encode(message))
        return Finished(record, self.faults, [c.turns for c in self._chairs], [c.notes for c in self._chairs])

    # -- judgement ---------------------------------------------------------------------------------

    def _judge_hello(self, chair: Chair, question: Question, answer: Answer) -> Refused | None:
        raise_if_starved(question, answer)
        reply = answer.reply
        if isinstance(reply, protocol.HelloReply) and answer.used_ms <= question.limit_ms + GRACE_MS:
            chair.log_turn(question, answer, "", "ready" if reply.ready else "refused")
            if reply.ready:
                chair.subscribed = chair.subscribed or reply.subscribe
                return None
            return Refused(
                chair.seat, "refused", reply.reason or "the bot said it is not ready, without a reason"
            )
        chair.log_turn(question, answer, "", answer.fault or faults.START)
        detail = answer.detail or f"no answer within {chair.plan.clocks.start_ms} ms"
        return Refused(chair.seat, faults.START, self._explain(faults.START, detail, question, answer))

    def _judge(self, chair: Chair, question: Question, answer: Answer) -> tuple[str, str]:
        """The action to apply, the bot's own, or the default one after a fault and that fault's code."""
        raise_if_starved(question, answer)
        code, detail = fault_of(question, answer)
        chair.bank_ms = chair.plan.clocks.bank_after(chair.bank_ms, answer.used_ms)
        reply = answer.reply
        if not code and isinstance(reply, protocol.ActReply):
            chair.keep_extras(reply, deal=self.game.deal, action=len(self.game.actions))
            chair.log_turn(question, answer, reply.action, "ok")
            return reply.action, ""
        action = faults.default_action(question.legal)
        chair.log_turn(question, answer, action, code)
        if chair.plan.kind != "person":
            self._fault(chair, question, answer, code, detail, action)
        elif self.setup.journaled:
            chair.away = True  # until the person says otherwise
        return action, code

    def _fault(
        self, chair: Chair, question: Question, answer: Answer, code: str, detail: str, action: str
    ) -> None:
        self._note_fault(
            chair,
            code,
            {
                "detail": detail,
                "request": msgspec.Raw(question.encode()),
                "answer": answer_text(answer),
                "message": self._explain(code, detail, question, answer, action),
            },
        )

    def _note_fault(self, chair: Chair, code: str, told: dict[str, Any]) -> None:
        chair.faults += 1
        index = len(self.game.actions)
        self.faults.append(
            {"seat": chair.seat, "code": code, "deal": self.game.deal, "action": index, **told}
        )
        if chair.faults >= faults.FAULTS_BEFORE_STAND_IN:
            chair.stood_in = True
            self.stand_ins.append({"seat": chair.seat, "deal": self.game.deal, "action": index})

    def _explain(self, code: str, detail: str, question: Question, answer: Answer, action: str = "") -> str:
        setup = self.setup
        return explain(
            code, detail, question, answer, rules=setup.ruleset, purpose=setup.purpose, action=action
        )

    # -- the game ----------------------------------------------------------------------------------

    def _replay_journal(self) -> None:
        """Take the journal's decisions without asking; draws, event cursors and faults move along."""
        for number, entry in enumerate(self.setup.journal):
            taken = Taken(*entry)
            if self.game.seat != taken.seat:
                raise PlatformError(
                    f"journal entry {number}: seat {self.game.seat} decides, not seat {taken.seat}"
                )
            chair = self._chairs[taken.seat]
            if chair.plan.kind == "house" or chair.stood_in or taken.how == AWAY:
                chair.draws.next_decision()
            else:
                chair.cursor = self.game.events(taken.seat, chair.cursor)[1]
                if taken.how and chair.plan.kind != "person":
                    self._note_fault(chair, taken.how, {"message": BEFORE_THE_RESTART})
            try:
                self.game.apply(taken.action)
            except IllegalAction as error:
                raise PlatformError(f"journal entry {number}: {error}") from error
            self.decisions += 1
            chair.decided += 1
        self._deals_told = len(self.game.deals)

    def _listeners(self, kind: str) -> list[Chair]:
        return [chair for chair in self._chairs if kind in chair.subscribed and not chair.stood_in]

    def _may_see_hands(self, chair: Chair) -> bool:
        """While a duplicate block is open, whoever can remember (HTTP bots) gets no hidden hands."""
        return self.setup.reveal_seed or chair.plan.kind != "http"

    def turns(self, seat: int) -> list[dict[str, Any]]:
        """The seat's private log so far."""
        return self._chairs[seat].turns

    def record(self) -> dict[str, Any]:
        """The match record so far (protocol.md section 6); ``result`` is null while the match goes on."""
        seats = [{"name": plan.name, "version": plan.version} for plan in self.setup.seats]
        return self.game.record(match=self.setup.match, seats=seats, stand_ins=self.stand_ins)
