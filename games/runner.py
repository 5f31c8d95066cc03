"""Drives one conversation (a match or a check) with real bots on the host's event loop.

Answers that come at once are taken in a plain loop; only a bot that has to be waited for costs a turn of the
event loop. Whatever a bot does ends as an answer; whatever the service does wrong ends the conversation as
failed.
"""

from __future__ import annotations

import asyncio
import traceback
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from botapi.drivers.base import Answer, Question
from botapi.errors import PlatformError
from games.steps import Acted, DealOver, Greet, Tell

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from botapi.drivers.base import Driver

BATCH: Final = 32
"""Answers taken in a row before the event loop gets its turn."""


class Runner:
    """Runs ``conversation``.

    ``driver_of`` finds a seat's driver; ``on_deal`` is called after each deal, ``on_end`` once
    with the conversation's result or with the PlatformError that ended it. ``pause`` is asked before each
    step: when it says True the conversation stands still until it calls what it was given. ``on_acted`` gets each
    decision of a table with a person and calls what it was given with it once the match may go on.
    """

    def __init__(
        self,
        conversation: Generator[Any, Any, Any],
        driver_of: Callable[[int], Driver],
        on_deal: Callable[[], None],
        on_end: Callable[[Any], None],
        pause: Callable[[Callable[[], None]], bool],
        on_acted: Callable[[Acted, Callable[[], None]], None] | None = None,
    ) -> None:
        self._conversation = conversation
        self._driver_of = driver_of
        self._on_deal = on_deal
        self._on_end = on_end
        self._pause = pause
        self._on_acted = on_acted
        self._loop = asyncio.get_running_loop()
        self._greeting: tuple[Question, ...] = ()
        self._greeted: dict[str, Answer] = {}
        self._over = False

    def begin(self) -> None:
        """Start; everything else happens in callbacks."""
        self._loop.call_soon(self._advance, None)

    def fail(self, error: BaseException) -> None:
        """End the conversation: the service failed."""
        if not self._over:
            self._finish(error)

    def _advance(self, value: Any) -> None:
        """Send ``value`` and take steps until one has to be waited for."""
        if self._over:
            return
        try:
            self._take_steps(value)
        except StopIteration as stop:
            self._finish(stop.value)
        except PlatformError as error:
            self._finish(error)
        except Exception as error:  # noqa: BLE001 - whatever breaks here is ours, and must not take other matches along
            traceback.print_exc()  # for operators: the cause of an attempt is public
            self._finish(PlatformError(f"the host failed: {type(error).__name__}"))

    def _take_steps(self, value: Any) -> None:
        send = self._conversation.send
        taken = 0
        while not self._pause(partial(self._advance, value)):
            step = send(value)
            value = None
            if isinstance(step, Question):
                value = self._driver_of(step.seat).ask(step, self._advance)
                if value is None:
                    return
                taken += 1
            elif isinstance(step, Tell):
                self._driver_of(step.seat).tell(step.kind, step.message)
            elif isinstance(step, DealOver):
                self._on_deal()
                taken = BATCH
            elif isinstance(step, Greet):
                self._greet(step)
                return
            elif isinstance(step, Acted):
                assert self._on_acted is not None
                self._on_acted(step, partial(self._advance, None))
                return
            if taken >= BATCH:
                self._loop.call_soon(self._advance, value)
                return

    def _greet(self, step: Greet) -> None:
        """Start these seats side by side and go on when all have answered."""
        self._greeting = step.questions
        self._greeted = {}
        for question in step.questions:
            self._driver_of(question.seat).start(question, self._greeter(question))

    def _greeter(self, question: Question) -> Callable[[Answer], None]:
        def greeted(answer: Answer) -> None:
            self._greeted[question.id] = answer
            if len(self._greeted) == len(self._greeting):
                self._advance(tuple(self._greeted[asked.id] for asked in self._greeting))

        return greeted

    def _finish(self, result: Any) -> None:
        self._over = True
        self._conversation.close()
        self._on_end(result)
