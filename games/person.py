"""A person's seat: the question goes to the host's parent, which answers or lets the time run out."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from botapi import faults, protocol
from botapi.drivers.base import GRACE_MS, Answer, DriverLog, Question
from games.steps import AWAY

if TYPE_CHECKING:
    from collections.abc import Callable


class PersonDriver:
    """Asks through ``ask_person(question, limit_ms)`` and takes the answer by :meth:`answer`.

    People cannot fault: when their time runs out the match plays the default action. ``patience_ms`` is how much
    later than that it does: an answer that came in time has a way to go.
    """

    def __init__(self, ask_person: Callable[[Question, int], None]) -> None:
        self.patience_ms = GRACE_MS
        self._ask_person = ask_person
        self._question: Question | None = None
        self._done: Callable[[Answer], None] | None = None
        self._began = 0.0
        """On the monotonic clock; time in which the clock stood still is added."""
        self._timer: asyncio.TimerHandle | None = None

    def start(self, question: Question, done: Callable[[Answer], None]) -> None:
        """People are not greeted."""
        done(Answer(reply=protocol.HelloReply(id=question.id, ready=True)))

    def ask(self, question: Question, done: Callable[[Answer], None]) -> Answer | None:
        """Pass the question on."""
        self._question, self._done = question, done
        self._began = time.monotonic()
        self._wind()
        self._ask_person(question, int(question.limit_ms))
        return None

    def answer(self, action: str) -> bool:
        """Take the person's action.

        False, and nothing happens, when no question is open or the action is not legal.
        """
        question = self._question
        if question is None or action not in question.legal:
            return False
        used_ms = min(question.limit_ms, self._wall_ms())
        self._finish(Answer(reply=protocol.ActReply(id=question.id, action=action), used_ms=used_ms))
        return True

    def leave(self) -> None:
        """The person is away: an open question is not theirs any more."""
        question = self._question
        if question is not None:
            self._finish(Answer(fault=AWAY, used_ms=min(question.limit_ms, self._wall_ms())))

    def stand_still(self, ms: int) -> None:
        """The clock of an open question stood still for so long: nobody could answer."""
        if self._question is not None:
            self._began = min(self._began + ms / 1000, time.monotonic())
            self._wind()

    def tell(self, kind: str, message: bytes) -> None:
        """People see the table instead."""

    def part(self, parted: Callable[[], None]) -> None:
        """Nothing to wait for."""
        parted()

    def close(self) -> None:
        """Forget the open question."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._question = self._done = None

    def log(self) -> DriverLog:
        """Nothing is kept of people."""
        return DriverLog()

    def _wind(self) -> None:
        """Wait for the end of the open question's time."""
        assert self._question is not None
        if self._timer is not None:
            self._timer.cancel()
        left_ms = self._question.limit_ms + self.patience_ms - self._wall_ms()
        self._timer = asyncio.get_running_loop().call_later(left_ms / 1000, self._on_time)

    def _wall_ms(self) -> float:
        return (time.monotonic() - self._began) * 1000

    def _on_time(self) -> None:
        if self._question is not None:
            used_ms = max(self._question.limit_ms + GRACE_MS + 1, self._wall_ms())
            self._finish(Answer(fault=faults.TIMEOUT, detail="time ran out", used_ms=used_ms))

    def _finish(self, answer: Answer) -> None:
        done = self._done
        answer.wall_ms = self._wall_ms()
        self.close()
        if done is not None:
            done(answer)
