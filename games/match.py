"""One match as a conversation without input or output (architecture.md, "The flow of one match").

:meth:`Match.play` is a generator. It yields what it wants (:class:`Greet`, a :class:`Question`,
:class:`Tell`, :class:`DealOver`) and is sent answers; whoever drives it owns processes, sockets and time.
Clocks, faults, default actions, the stand-in and the record are decided here, exactly as protocol.md section
5 says.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import msgspec

from botapi import faults, house, protocol
from botapi.drivers.base import GRACE_MS, Answer, Question, raise_if_starved
from botapi.errors import PlatformError
from botapi.explanations import explain
from engine import Game, IllegalAction, RuleSet
from games.steps import AWAY, Acted, DealOver, Finished, Greet, Refused, SeatPlan, Setup, Step, Taken, Tell

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

STAND_IN = "counter"
"""The house bot that takes over after the third fault."""
BEFORE_THE_RESTART = "Request and answer were lost when the service was restarted."
LOGGED_BYTES = 2 * 1024 * 1024
"""Requests kept in a seat's private log.

Beyond, only those of faults are (each can be rebuilt from the record).
"""
SAID_CHARS = 1024 * 1024
"""The same for answers and a bot's own words: five times what a talkative bot says in a long match."""
ANSWER_CHARS = 4000


class _Chair:
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
        self._chairs = [_Chair(seat, plan, setup.seed) for seat, plan in enumerate(setup.seats)]
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
        questions = tuple(self._hello(chair) for chair in chairs)
        self.open_ms = max(question.limit_ms for question in questions)
        answers: Sequence[Answer] = yield Greet(questions)
        for chair, question, answer in zip(chairs, questions, answers, strict=True):
            refused = self._judge_hello(chair, question, answer)
            if refused is not None:
                return refused
        return None

    def _decide(self, chair: _Chair) -> Generator[Step, Any, tuple[str, str]]:
        """The seat's action and how it came about (:class:`Taken`)."""
        if chair.stood_in:
            return self._house(STAND_IN, chair), ""
        if chair.plan.kind == "house":
            return self._house(chair.plan.house, chair), ""
        if chair.away:
            return self._house(STAND_IN, chair), AWAY
        question = self._act(chair)
        self.open_ms = question.limit_ms
        answer: Answer = yield question
        if answer.fault == AWAY:
            chair.bank_ms = chair.plan.clocks.bank_after(chair.bank_ms, answer.used_ms)
            return self._house(STAND_IN, chair), AWAY
        action, code = self._judge(chair, question, answer)
        if answer.fault == faults.CRASH and chair.plan.kind in ("sandbox", "process") and not chair.stood_in:
            yield from self._restart(chair)
        return action, code

    def _house(self, name: str, chair: _Chair) -> str:
        return house.choose(name, self.game.view(chair.seat), self.game.legal, chair.draws)

    def _restart(self, chair: _Chair) -> Generator[Step, Any, None]:
        """Once a match a crashed process is started anew and greeted.

        Should that fail, its next question faults.
        """
        if chair.restarted:
            return
        chair.restarted = True
        question = self._hello(chair)
        self.open_ms = question.limit_ms
        (answer,) = yield Greet((question,))
        refused = self._judge_hello(chair, question, answer)
        if refused is not None:
            chair.turns[-1]["verdict"] = "restart failed: " + refused.message

    def _tell_deals(self) -> Generator[Step, Any, None]:
        for deal in range(self._deals_told, len(self.game.deals)):
            for chair in self._listeners("deal_end"):
                message = protocol.deal_end(
                    message_id=self._next_id(chair),
                    match=self.setup.match,
                    deal=deal,
                    record=self.game.deals[deal],
                    hands=self._hands(deal) if self._may_see_hands(chair) else None,
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
                    message_id=self._next_id(chair),
                    match=self.setup.match,
                    result=result,
                    faults=chair.faults,
                    seed=self.setup.seed.hex() if self.setup.reveal_seed else None,
                    replay=f"/matches/{self.setup.match}/",
                )
                yield Tell(chair.seat, "match_end", protocol.encode(message))
        return Finished(record, self.faults, [c.turns for c in self._chairs], [c.notes for c in self._chairs])

    # -- questions ---------------------------------------------------------------------------------

    def _next_id(self, chair: _Chair) -> str:
        number = chair.number
        chair.number = number + 1
        return protocol.message_id(self.setup.match, self.setup.attempt, chair.seat, number)

    def _hello(self, chair: _Chair) -> Question:
        setup, rules = self.setup, self.setup.ruleset
        message_id = self._next_id(chair)
        content = protocol.hello(
            message_id=message_id,
            match=setup.match,
            purpose=setup.purpose,
            rules=rules_message(rules),
            seats=len(setup.seats),
            you=chair.seat,
            seed_sha256=hashlib.sha256(setup.seed).hexdigest(),
            clocks=chair.plan.clocks,
            limits=chair.plan.limits,
        )
        return Question(chair.seat, "hello", message_id, chair.plan.clocks.start_ms, content)

    def _act(self, chair: _Chair) -> Question:
        game, clocks = self.game, chair.plan.clocks
        view, legal = game.view(chair.seat), game.legal
        events, chair.cursor = game.events(chair.seat, chair.cursor)
        message_id = self._next_id(chair)
        content = protocol.act(
            message_id=message_id,
            match=self.setup.match,
            time={"act_ms": clocks.act_ms, "bank_ms": int(chair.bank_ms), "hard_ms": clocks.hard_ms},
            view=view,
            legal=legal,
            events=events,
            state=chair.state,
        )
        return Question(chair.seat, "act", message_id, clocks.limit_ms(chair.bank_ms), content, view, legal)

    # -- judgement ---------------------------------------------------------------------------------

    def _judge_hello(self, chair: _Chair, question: Question, answer: Answer) -> Refused | None:
        raise_if_starved(question, answer)
        reply = answer.reply
        if isinstance(reply, protocol.HelloReply) and answer.used_ms <= question.limit_ms + GRACE_MS:
            self._log_turn(chair, question, answer, "", "ready" if reply.ready else "refused")
            if reply.ready:
                chair.subscribed = chair.subscribed or reply.subscribe
                return None
            return Refused(
                chair.seat, "refused", reply.reason or "the bot said it is not ready, without a reason"
            )
        self._log_turn(chair, question, answer, "", answer.fault or faults.START)
        detail = answer.detail or f"no answer within {chair.plan.clocks.start_ms} ms"
        return Refused(chair.seat, faults.START, self._explain(faults.START, detail, question, answer))

    def _judge(self, chair: _Chair, question: Question, answer: Answer) -> tuple[str, str]:
        """The action to apply, the bot's own, or the default one after a fault and that fault's code."""
        raise_if_starved(question, answer)
        code, detail = fault_of(question, answer)
        chair.bank_ms = chair.plan.clocks.bank_after(chair.bank_ms, answer.used_ms)
        reply = answer.reply
        if not code and isinstance(reply, protocol.ActReply):
            self._keep_extras(chair, reply)
            self._log_turn(chair, question, answer, reply.action, "ok")
            return reply.action, ""
        action = faults.default_action(question.legal)
        self._log_turn(chair, question, answer, action, code)
        if chair.plan.kind != "person":
            self._fault(chair, question, answer, code, detail, action)
        elif self.setup.journaled:
            chair.away = True  # until the person says otherwise
        return action, code

    def _fault(
        self, chair: _Chair, question: Question, answer: Answer, code: str, detail: str, action: str
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

    def _note_fault(self, chair: _Chair, code: str, told: dict[str, Any]) -> None:
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

    def _keep_extras(self, chair: _Chair, reply: protocol.ActReply) -> None:
        if reply.state is not None:
            chair.state = reply.state
        if reply.note:
            note = protocol.clip(reply.note, protocol.NOTE_CHARS)
            place = {"deal": self.game.deal, "action": len(self.game.actions)}
            chair.notes.append({**place, "note": note})

    def _log_turn(self, chair: _Chair, question: Question, answer: Answer, action: str, verdict: str) -> None:
        if chair.plan.kind == "person":
            return
        request = question.encode()
        said, log = answer_text(answer), protocol.clip(getattr(answer.reply, "log", None), protocol.LOG_CHARS)
        chair.logged += len(request)
        chair.said += len(said) + len(log or "")
        fault = verdict not in faults.GOOD_VERDICTS
        entry: dict[str, Any] = {
            "n": chair.number - 1,
            "request": msgspec.Raw(request) if fault or chair.logged <= LOGGED_BYTES else None,
            "answer": said if fault or chair.said <= SAID_CHARS else None,
            "action": action,
            "verdict": verdict,
            "wall_ms": round(answer.wall_ms, 3),
            "used_ms": round(answer.used_ms, 3),
            "cpu_ms": round(answer.cpu_ms, 3),
            "delay_ms": round(answer.delay_ms, 3),
        }
        if log and chair.said <= SAID_CHARS:
            entry["log"] = log
        chair.turns.append(entry)

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

    def _listeners(self, kind: str) -> list[_Chair]:
        return [chair for chair in self._chairs if kind in chair.subscribed and not chair.stood_in]

    def _may_see_hands(self, chair: _Chair) -> bool:
        """While a duplicate block is open, whoever can remember (HTTP bots) gets no hidden hands."""
        return self.setup.reveal_seed or chair.plan.kind != "http"

    def _hands(self, deal: int) -> list[list[str]]:
        """The hands as dealt, one list a seat, empty for a sitting dealer."""
        record, rules = self.game.deals[deal], self.setup.ruleset
        seats, size = rules.players, rules.hand_size
        order = [(record["dealer"] + step) % seats for step in range(1, seats + 1)]
        if rules.dealer_sits_out:
            order.pop()
        hands: list[list[str]] = [[] for _ in range(seats)]
        for place, seat in enumerate(order):
            hands[seat] = list(record["deck"][place * size : (place + 1) * size])
        return hands

    def turns(self, seat: int) -> list[dict[str, Any]]:
        """The seat's private log so far."""
        return self._chairs[seat].turns

    def record(self) -> dict[str, Any]:
        """The match record so far (protocol.md section 6); ``result`` is null while the match goes on."""
        seats = [{"name": plan.name, "version": plan.version} for plan in self.setup.seats]
        return self.game.record(match=self.setup.match, seats=seats, stand_ins=self.stand_ins)


def rules_message(rules: RuleSet) -> dict[str, Any]:
    """``rules`` of ``hello`` for a rule set."""
    options = {key: value for key, value in rules.to_json().items() if key not in ("name", "base")}
    return protocol.rules_for_bots(rules.name, rules.base, rules.changed, options)


def fault_of(question: Question, answer: Answer) -> tuple[str, str]:
    """The code of what is wrong with the answer to an ``act`` and its detail; both empty for a right one."""
    if answer.fault:
        return answer.fault, answer.detail
    if answer.used_ms > question.limit_ms + GRACE_MS:
        detail = f"answered after {answer.used_ms:.0f} ms of {question.limit_ms:.0f} ms"
        return faults.TIMEOUT, detail
    reply = answer.reply
    if isinstance(reply, protocol.ActReply) and reply.action not in question.legal:
        return faults.ILLEGAL, f"action {protocol.printable(reply.action[:60])!r}"
    return "", ""


def answer_text(answer: Answer) -> str:
    """The bot's answer as text for logs: bad bytes replaced, control characters escaped, cut."""
    return protocol.printable(answer.raw[:ANSWER_CHARS].decode("utf-8", "replace"))
