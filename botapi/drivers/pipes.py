"""A bot that is a process on pipes: one JSON object a line (protocol.md 1, sandbox.md 7 and 8).

The three descriptors are non-blocking and read raw. Between its turns the bot is stopped: stop after the
answer's line, write the next request, let it go, start the clock. A quick answer is awaited for ``eager_ms``
right here, which spares a round through the event loop; slower ones, stderr and big writes are left to the
loop.

What a bot writes costs the host little, whatever it is: a block a turn of the loop, so much in a turn of the bot's,
and nothing between its turns: what nobody reads stays in the pipe and holds up the bot alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import time
from typing import TYPE_CHECKING, Final

from botapi import faults
from botapi.drivers.base import GRACE_MS, Answer, BotProcess, DriverLog, Question, starving_ms
from botapi.drivers.hearing import Hearing
from botapi.drivers.output import Notes, Stderr
from botapi.drivers.stdin import Stdin
from botapi.drivers.turn_clock import STOLEN_NS, TurnClock
from botapi.errors import PlatformError

if TYPE_CHECKING:
    from collections.abc import Callable

    from botapi.drivers.lag import LagMeter

CHUNK: Final = 64 * 1024
PARTING_S: Final = 0.1
"""How long a bot may still run after match_end."""
END_WAIT_S: Final = 1.0
"""How long a bot whose pipes are broken has to come to its end by itself."""
END_LOOK_S: Final = 0.001
"""The first pause between two looks whether it has; each is twice the one before."""

_monotonic_ns = time.monotonic_ns


class PipeDriver:
    """Drives one :class:`BotProcess`.

    ``failed`` is told of failures of the service that happen in callbacks. ``lag`` is the meter of the loop's
    stalls, one for all drivers of a host: an answer that nobody could read yet is not late.
    """

    _clock: TurnClock
    _stdin: Stdin

    def __init__(
        self,
        spawn: Callable[[], BotProcess],
        failed: Callable[[BaseException], None],
        eager_ms: Callable[[], int],
        lag: LagMeter,
    ) -> None:
        self._spawn = spawn
        self._lag = lag
        self._failed = failed
        self._eager_ms = eager_ms
        self._proc: BotProcess | None = None
        self._loop = asyncio.get_running_loop()
        self._stderr = Stderr()
        self._notes = Notes()
        self._done: Callable[[Answer], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._parted: Callable[[], None] | None = None
        self._reset()

    def _reset(self) -> None:
        self._hearing = Hearing(self._notes)
        self._listening = False
        self._broken = 0
        """When the pipes broke (nanoseconds, 0: they did not); ``_end`` says why once that is known."""
        self._end = ""
        self._frozen = False
        self._start_ms = 0.0

    # -- the driver's interface --------------------------------------------------------------------

    def start(self, question: Question, done: Callable[[Answer], None]) -> None:
        """Start the process (anew) and greet it."""
        self.close()
        self._reset()
        before = _monotonic_ns()
        proc = self._proc = self._spawn()
        self._start_ms = (_monotonic_ns() - before) / 1e6
        self._clock = TurnClock(proc, self._lag)
        self._stdin = Stdin(proc, self._break)
        self._poll = select.poll()
        self._poll.register(proc.stdout, select.POLLIN)
        self._loop.add_reader(proc.stderr, self._on_stderr)
        self._hearing.open(question)
        self._done = done
        self._clock.begin()
        self._stdin.send(question.encode() + b"\n")
        if self._end:
            self._loop.call_soon(self._deliver, self._crashed())
        elif not self._broken:
            self._wait(question.limit_ms + GRACE_MS)

    def ask(self, question: Question, done: Callable[[Answer], None]) -> Answer | None:
        """Ask and wait ``eager_ms`` for the answer here; later ones come through ``done``."""
        proc = self._proc
        if proc is None or self._end:
            return Answer(fault=faults.CRASH, detail=self._end or "the process is not running")
        if not self._broken:
            self._hear_out(proc)
        self._hearing.open(question)
        if not self._broken:
            self._stdin.send(question.encode() + b"\n")
        if self._frozen:
            if self._clock.charge_stolen():
                self._notes.add(
                    f"it computed for more than {STOLEN_NS // 1_000_000} ms when it was not its turn"
                )
            self._thaw(proc)
        self._clock.begin()
        answer = None
        eager_ms = self._eager_ms()
        if eager_ms and not self._broken and self._poll.poll(eager_ms):
            answer = self._read()
        if answer is None and self._end:
            answer = self._crashed()
        if answer is None:
            self._done = done
            if not self._broken:
                self._wait(question.limit_ms + GRACE_MS)
        return answer

    def tell(self, kind: str, message: bytes) -> None:
        """Write a one-way message; the bot reads it when it next runs."""
        del kind
        if self._proc is not None and not self._broken:
            self._stdin.send(message + b"\n")

    def part(self, parted: Callable[[], None]) -> None:
        """The match is over: let the bot run to its own end for a moment, then call ``parted``."""
        proc = self._proc
        if proc is None or self._broken:
            parted()
            return
        self._parted = parted
        self._stdin.end()
        self._thaw(proc)
        self._disarm()
        self._hearing.open(None)
        self._listen(proc)
        self._timer = self._loop.call_later(PARTING_S, self._part_now)

    def close(self) -> None:
        """End the process, keep what it wrote."""
        self._disarm()
        self._hearing.open(None)
        self._done = None
        proc, self._proc = self._proc, None
        if proc is None:
            return
        self._unlisten(proc)
        self._drain_stderr(proc)
        self._loop.remove_reader(proc.stderr)
        self._stdin.close()
        proc.kill()
        self._drain_stderr(proc)
        for descriptor in (proc.stdin, proc.stdout, proc.stderr):
            if descriptor >= 0:
                os.close(descriptor)

    def log(self) -> DriverLog:
        """Stderr and notes so far."""
        if self._proc is not None:
            self._drain_stderr(self._proc)
        return DriverLog(self._stderr.text(), self._notes.all())

    # -- reading -----------------------------------------------------------------------------------

    def _listen(self, proc: BotProcess) -> None:
        if not self._listening:
            self._loop.add_reader(proc.stdout, self._on_stdout)
            self._listening = True

    def _unlisten(self, proc: BotProcess) -> None:
        if self._listening:
            self._loop.remove_reader(proc.stdout)
            self._listening = False

    def _on_stdout(self) -> None:
        try:
            with self._clock.own_work():
                answer = self._read()
            if answer is None and self._end:
                answer = self._crashed() if self._hearing.question is not None else None
        except PlatformError as error:
            self._failed(error)
            return
        if answer is not None:
            self._deliver(answer)
        if self._broken and self._parted is not None:
            self._part_now()

    def _read(self) -> Answer | None:
        proc = self._proc
        if proc is None:
            return None
        try:
            chunk = os.read(proc.stdout, CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            chunk = b""
        if not chunk:
            self._break()
            return None
        answer = self._hearing.hear(chunk)
        if answer is not None:
            return self._answer(answer)
        if self._hearing.question is None and self._hearing.flooded:
            self._unlisten(proc)
        return None

    def _hear_out(self, proc: BotProcess) -> None:
        """What it wrote before a question is no answer to it. Its end is not looked for: the question meets it."""
        try:
            chunk = os.read(proc.stdout, CHUNK)
        except OSError:  # mostly there is nothing
            chunk = b""
        self._hearing.hear_out(chunk)

    def _answer(self, answer: Answer) -> Answer:
        """Stop the bot, read its meters, close the question."""
        proc, question, now_ns = self._proc, self._hearing.question, _monotonic_ns()
        assert proc is not None
        if answer.reply is not None or (question is not None and question.kind == "act"):
            proc.freeze()
            self._frozen = True
        self._unlisten(proc)
        self._clock.end(answer, now_ns)
        answer.start_ms = self._start_ms
        self._hearing.question = None
        return answer

    def _thaw(self, proc: BotProcess) -> None:
        if self._frozen:
            proc.thaw()
            self._frozen = False

    def _deliver(self, answer: Answer) -> None:
        self._disarm()
        done, self._done = self._done, None
        if done is not None:
            done(answer)

    # -- time --------------------------------------------------------------------------------------

    def _wait(self, limit_ms: float) -> None:
        """Leave the answer to the loop, for so long."""
        assert self._proc is not None
        self._listen(self._proc)
        self._clock.leave_to_loop()
        self._arm(limit_ms)

    def _arm(self, after_ms: float) -> None:
        self._timer = self._loop.call_later(after_ms / 1000, self._on_time)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._proc is not None:
            self._clock.leave()

    def _on_time(self) -> None:
        """The limit has passed on the wall; it counts when it has passed on the bot's own clock too."""
        question = self._hearing.question
        if question is None or self._proc is None:
            return
        wall_ns, used_ns = self._clock.spent_ns()
        used_ms, limit_ms = used_ns / 1e6, question.limit_ms
        if used_ms <= limit_ms + GRACE_MS and wall_ns / 1e6 <= starving_ms(limit_ms):
            self._arm(max(1.0, limit_ms + GRACE_MS - used_ms))
            return
        self._timer = None
        answer = self._answer(self._hearing.give_up())
        answer.used_ms = max(answer.used_ms, used_ms)  # the meters are read again, and differ by a little
        self._deliver(answer)

    # -- stderr and the end ------------------------------------------------------------------------

    def _on_stderr(self) -> None:
        proc = self._proc
        if proc is None:
            return
        try:
            chunk = os.read(proc.stderr, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self._loop.remove_reader(proc.stderr)
            return
        self._stderr.feed(chunk)
        if self._stderr.flooded and not self._end:
            self._loop.remove_reader(proc.stderr)
            proc.kill()
            self._end = "it wrote more to stderr than a bot may and was ended"

    def _drain_stderr(self, proc: BotProcess) -> None:
        with contextlib.suppress(OSError):
            for _ in range(64):
                chunk = os.read(proc.stderr, CHUNK)
                if not chunk:
                    break
                self._stderr.feed(chunk)

    def _break(self, why: str = "") -> None:
        """The pipes are broken: end the process for good and find out why it ended.

        With ``why`` it is known already. Else it may take a moment to end, which the loop does not wait for.
        """
        proc = self._proc
        if proc is None or self._broken:
            return
        self._broken = _monotonic_ns()
        self._disarm()
        self._unlisten(proc)
        self._thaw(proc)  # else it could not come to its end
        if why and not self._end:
            proc.kill()
            self._end = why
        self._look_for_end(proc, END_LOOK_S)

    def _look_for_end(self, proc: BotProcess, pause_s: float) -> None:
        waited_s = (_monotonic_ns() - self._broken) / 1e9
        if self._end or proc.ended() or waited_s > END_WAIT_S:
            self._drain_stderr(proc)
            self._end = self._end or proc.cause() or "the process ended"
        else:
            self._timer = self._loop.call_later(pause_s, self._look_again, proc, pause_s * 2)

    def _look_again(self, proc: BotProcess, pause_s: float) -> None:
        try:
            self._look_for_end(proc, pause_s)
        except PlatformError as error:
            self._failed(error)
            return
        if self._end and self._hearing.question is not None:
            self._deliver(self._crashed())

    def _crashed(self) -> Answer:
        answer = Answer(fault=faults.CRASH, detail=self._end, raw=self._hearing.last_words())
        answer.wall_ms = answer.used_ms = max(0, self._broken - self._clock.began_ns) / 1e6
        self._hearing.question = None
        return answer

    def _part_now(self) -> None:
        self._disarm()
        parted, self._parted = self._parted, None
        if parted is not None:
            parted()
