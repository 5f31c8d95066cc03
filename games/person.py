"""A person's seat: the question goes to the host's parent, which answers or lets the time run out."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from botapi import faults, protocol
from botapi.drivers.base import GRACE_MS, Answer, DriverLog, Question

if TYPE_CHECKING:
    from collections.abc import Callable


class PersonDriver:
    """Asks through ``ask_person(question, limit_ms)`` and takes the answer by :meth:`answer`.

    People cannot fault: when their
    time runs out the match plays the default action.
    """

    def __init__(self, ask_person: Callable[[Question, int], None]) -> None:
        self._ask_person = ask_person
        self._question: Question | None = None
        self._done: Callable[[Answer], None] | None = None
        self._began = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self, question: Question, done: Callable[[Answer], None]) -> None:
        """People are not greeted."""
        done(Answer(reply=protocol.HelloReply(id=question.id, ready=True)))

    def ask(self, question: Question, done: Callable[[Answer], None]) -> Answer | None:
        """Pass the question on."""
        self._question, self._done = question, done
        self._began = time.monotonic()
        self._timer = asyncio.get_running_loop().call_later(
            (question.limit_ms + GRACE_MS) / 1000, self._on_time
        )
        self._ask_person(question, int(question.limit_ms))
        return None

    def answer(self, action: str) -> bool:
        """Take the person's action.

        False, and nothing happens, when no question is open or the action is not legal.
        """
        question = self._question
        if question is None or action not in question.legal:
            return False
        self._finish(Answer(reply=protocol.ActReply(id=question.id, action=action)))
        return True

    def tell(self, kind: str, message: bytes) -> None:
        """People see the table instead."""

    def part(self, parted: Callable[[], None]) -> None:
        """Nothing to wait for."""
        parted()

    def close(self) -> None:
        """Forget the open question."""
        if self._timer is not None:
            self._timer.cancel()
        self._question = self._done = None

    def log(self) -> DriverLog:
        """Nothing is kept of people."""
        return DriverLog()

    def _on_time(self) -> None:
        if self._question is not None:
            self._finish(
                Answer(
                    fault=faults.TIMEOUT,
                    detail="time ran out",
                    used_ms=self._question.limit_ms + GRACE_MS + 1,
                )
            )

    def _finish(self, answer: Answer) -> None:
        done = self._done
        wall = (time.monotonic() - self._began) * 1000
        answer.wall_ms, answer.used_ms = wall, max(wall, answer.used_ms)
        self.close()
        if done is not None:
            done(answer)
