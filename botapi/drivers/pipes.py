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
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from botapi import faults, protocol
from botapi.drivers.base import GRACE_MS, Answer, BotProcess, DriverLog, Question, starving_ms
from botapi.drivers.output import NOISE_LINES, STRAY_BYTES, STRAY_LINES, LineBuffer, LongLine, Notes, Stderr
from botapi.errors import PlatformError

if TYPE_CHECKING:
    from collections.abc import Callable

    from botapi.drivers.lag import LagMeter, Stopwatch

CHUNK: Final = 64 * 1024
PARTING_S: Final = 0.1
"""How long a bot may still run after match_end."""
END_WAIT_S: Final = 1.0
"""How long a bot whose pipes are broken has to come to its end by itself."""
END_LOOK_S: Final = 0.001
"""The first pause between two looks whether it has; each is twice the one before."""
STOLEN_NS: Final = 250_000_000
"""Processor time between its turns of which a match's log tells."""
REMEMBERED: Final = 32
UNREAD_BYTES: Final = 4 * 1024 * 1024
"""Requests a bot has left unread before it counts as gone."""

_monotonic_ns = time.monotonic_ns


class PipeDriver:
    """Drives one :class:`BotProcess`.

    ``failed`` is told of failures of the service that happen in callbacks. ``lag`` is the meter of the loop's
    stalls, one for all drivers of a host: an answer that nobody could read yet is not late.
    """

    def __init__(
        self,
        spawn: Callable[[], BotProcess],
        failed: Callable[[BaseException], None],
        eager_ms: Callable[[], int],
        lag: LagMeter,
    ) -> None:
        self._spawn = spawn
        self._lag = lag
        self._watch: Stopwatch | None = None
        self._failed = failed
        self._eager_ms = eager_ms
        self._proc: BotProcess | None = None
        self._loop = asyncio.get_running_loop()
        self._stderr = Stderr()
        self._notes = Notes()
        self._question: Question | None = None
        self._done: Callable[[Answer], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timed_out: OrderedDict[str, int] = OrderedDict()
        self._parted: Callable[[], None] | None = None
        self._reset()

    def _reset(self) -> None:
        self._lines = LineBuffer()
        self._out = b""
        self._noise = 0
        self._strays = self._stray_bytes = 0
        self._dropped = b""
        """The last line of this turn that was no answer to its question, and why: for the author."""
        self._why_dropped = ""
        self._listening = False
        self._began = 0
        self._cpu_ns = self._delay_ns = 0
        self._stolen_ns = self._stolen_in_all_ns = 0
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
        self._poll = select.poll()
        self._poll.register(proc.stdout, select.POLLIN)
        self._loop.add_reader(proc.stderr, self._on_stderr)
        self._question, self._done = question, done
        self._began = _monotonic_ns()
        self._send(question.encode() + b"\n")
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
        self._question = question
        self._strays = self._stray_bytes = 0
        self._dropped, self._why_dropped = b"", ""
        if not self._broken:
            self._send(question.encode() + b"\n")
        if self._frozen:
            self._charge_stolen(proc)
            proc.thaw()
            self._frozen = False
        self._began = _monotonic_ns()
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

    def _charge_stolen(self, proc: BotProcess) -> None:
        """What it computed between its turns counts as the next one's time (sandbox.md 8)."""
        cpu_ns, delay_ns = proc.used_ns()
        self._stolen_ns = max(0, cpu_ns - self._cpu_ns)
        self._cpu_ns, self._delay_ns = cpu_ns, delay_ns
        before, self._stolen_in_all_ns = self._stolen_in_all_ns, self._stolen_in_all_ns + self._stolen_ns
        if before <= STOLEN_NS < self._stolen_in_all_ns:
            self._notes.add(f"it computed for more than {STOLEN_NS // 1_000_000} ms when it was not its turn")

    def tell(self, kind: str, message: bytes) -> None:
        """Write a one-way message; the bot reads it when it next runs."""
        del kind
        if self._proc is not None and not self._broken:
            self._send(message + b"\n")

    def part(self, parted: Callable[[], None]) -> None:
        """The match is over: let the bot run to its own end for a moment, then call ``parted``."""
        proc = self._proc
        if proc is None or self._broken:
            parted()
            return
        self._parted = parted
        if not self._out:
            self._close_stdin()
        if self._frozen:
            proc.thaw()
            self._frozen = False
        self._disarm()
        self._strays = self._stray_bytes = 0
        self._listen(proc)
        self._timer = self._loop.call_later(PARTING_S, self._part_now)

    def close(self) -> None:
        """End the process, keep what it wrote."""
        self._disarm()
        self._question = self._done = None
        proc, self._proc = self._proc, None
        if proc is None:
            return
        self._unlisten(proc)
        self._drain_stderr(proc)
        self._loop.remove_reader(proc.stderr)
        if self._out:
            self._loop.remove_writer(proc.stdin)
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

    # -- writing -----------------------------------------------------------------------------------

    def _send(self, data: bytes) -> None:
        proc = self._proc
        assert proc is not None
        if self._out:
            self._out += data
            if len(self._out) > UNREAD_BYTES:
                self._break("it left its requests unread")
            return
        try:
            sent = os.write(proc.stdin, data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._break()
            return
        if sent < len(data):
            self._out = data[sent:]
            self._loop.add_writer(proc.stdin, self._on_stdin)

    def _on_stdin(self) -> None:
        proc = self._proc
        if proc is None:
            return
        try:
            sent = os.write(proc.stdin, self._out)
        except BlockingIOError:
            return
        except OSError:
            sent = len(self._out)
        self._out = self._out[sent:]
        if not self._out:
            self._loop.remove_writer(proc.stdin)
            if self._parted is not None:
                self._close_stdin()

    def _close_stdin(self) -> None:
        proc = self._proc
        if proc is not None and proc.stdin >= 0:
            os.close(proc.stdin)
            proc.stdin = -1

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
            with self._own_work():
                answer = self._read()
            if answer is None and self._end:
                answer = self._crashed() if self._question is not None else None
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
        self._lines.feed(chunk)
        return self._parse()

    def _hear_out(self, proc: BotProcess) -> None:
        """What it wrote before a question is no answer to it: noted as out of turn, or dropped if it is too much.

        Its end is not looked for: the question meets it.
        """
        with contextlib.suppress(OSError):  # mostly there is nothing
            self._lines.feed(os.read(proc.stdout, CHUNK))
        if self._lines.start_of_line():
            self._strays = self._stray_bytes = 0
            self._parse()
            if self._flooded():
                self._lines.drop()

    def _parse(self) -> Answer | None:
        """The answer to the open question, if a line holds it. Everything else is noted and dropped."""
        while True:
            try:
                line = self._lines.next_line()
            except LongLine as error:
                if self._question is not None:
                    return self._answer(Answer(fault=faults.BAD_REPLY, detail=str(error), raw=error.begin))
                self._notes.add(str(error))
                continue
            if line is None:
                return None
            answer = self._line(line)
            if answer is not None or (self._question is None and self._flooded()):
                return answer

    def _line(self, line: bytes) -> Answer | None:
        question = self._question
        if not line.startswith(b"{"):
            return self._noisy(line)
        if question is None:
            message_id = protocol.id_in(line)
            if message_id in self._timed_out:
                self._stray(message_id)
            else:
                self._notes.add("out of turn: " + line[:200].decode("utf-8", "replace"))
                self._flooding(line)
            return None
        try:
            reply = protocol.decode_act(line) if question.kind == "act" else protocol.decode_hello(line)
        except protocol.MalformedReply as error:
            return self._answer(Answer(fault=faults.BAD_REPLY, detail=str(error), raw=line))
        if reply.id != question.id:
            self._drop(line, f"it has another id than {question.id}")
            return None if self._stray(reply.id) else self._flooding(line)
        return self._answer(Answer(reply=reply, raw=line))

    def _noisy(self, line: bytes) -> Answer | None:
        if line.strip():
            self._notes.add("not an answer: " + line[:200].decode("utf-8", "replace"))
            self._drop(line, "it does not begin with {")
        self._noise += 1
        if self._noise <= NOISE_LINES:
            return None
        if self._question is None:
            return self._flooding(line)
        self._noise = 0
        detail = f"over {NOISE_LINES} lines that are no answers"
        return self._answer(Answer(fault=faults.BAD_REPLY, detail=detail, raw=self._dropped))

    def _stray(self, message_id: str) -> bool:
        """Note an answer to another question; whether it is one that was too late."""
        deadline = self._timed_out.pop(message_id, None)
        if deadline is None:
            self._notes.add(f"ignored an answer with another id: {message_id[:60]}")
            return False
        late_ms = (_monotonic_ns() - deadline) / 1e6
        self._notes.add(f"late: the answer to {message_id} came {late_ms:.0f} ms after its deadline")
        return True

    def _flooding(self, line: bytes) -> Answer | None:
        """Count a line that nobody asked for; a fault, or no more reading, once there are too many in one turn."""
        self._strays += 1
        self._stray_bytes += len(line)
        if not self._flooded():
            return None
        if self._question is not None:
            detail = f"output flood: over {STRAY_LINES} answers, or {STRAY_BYTES} bytes, with other ids"
            return self._answer(Answer(fault=faults.BAD_REPLY, detail=detail, raw=line))
        if self._proc is not None:
            self._unlisten(self._proc)
        return None

    def _flooded(self) -> bool:
        return self._strays > STRAY_LINES or self._stray_bytes > STRAY_BYTES

    def _drop(self, line: bytes, why: str) -> None:
        self._dropped, self._why_dropped = line, why

    def _answer(self, answer: Answer) -> Answer:
        """Stop the bot, read its meters, close the question."""
        proc, now = self._proc, _monotonic_ns()
        assert proc is not None
        if answer.reply is not None or (self._question is not None and self._question.kind == "act"):
            proc.freeze()
            self._frozen = True
        self._unlisten(proc)
        self._measure(answer, now)
        self._question = None
        return answer

    def _measure(self, answer: Answer, now: int) -> None:
        assert self._proc is not None
        cpu_ns, delay_ns = self._proc.used_ns()
        cpu, delay = cpu_ns - self._cpu_ns, delay_ns - self._delay_ns
        self._cpu_ns, self._delay_ns = cpu_ns, delay_ns
        wall = now - self._began
        delay += self._stalled_ns()
        answer.wall_ms, answer.cpu_ms, answer.delay_ms = wall / 1e6, cpu / 1e6, delay / 1e6
        answer.used_ms = (max(wall - delay, cpu, 0) + self._stolen_ns) / 1e6
        answer.start_ms = self._start_ms

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
        self._watch = self._lag.start()
        self._arm(limit_ms)

    def _own_work(self) -> contextlib.AbstractContextManager[None]:
        """The host's work with what this bot wrote is on this bot's clock."""
        return self._watch.own_work() if self._watch is not None else contextlib.nullcontext()

    def _stalled_ns(self) -> int:
        return int(self._watch.read_ms()[1] * 1e6) if self._watch is not None else 0

    def _arm(self, after_ms: float) -> None:
        self._timer = self._loop.call_later(after_ms / 1000, self._on_time)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._watch is not None:
            self._watch.stop()
            self._watch = None

    def _on_time(self) -> None:
        """The limit has passed on the wall; it counts when it has passed on the bot's own clock too."""
        question, proc = self._question, self._proc
        if question is None or proc is None:
            return
        wall_ns = _monotonic_ns() - self._began
        cpu_ns, delay_ns = proc.used_ns()
        delay_ns += self._stalled_ns()
        used_ns = max(wall_ns - (delay_ns - self._delay_ns), cpu_ns - self._cpu_ns) + self._stolen_ns
        used_ms = used_ns / 1e6
        limit_ms = question.limit_ms
        if used_ms <= limit_ms + GRACE_MS and wall_ns / 1e6 <= starving_ms(limit_ms):
            self._arm(max(1.0, limit_ms + GRACE_MS - used_ms))
            return
        self._timed_out[question.id] = _monotonic_ns()
        if len(self._timed_out) > REMEMBERED:
            self._timed_out.popitem(last=False)
        self._timer = None
        raw, detail = self._lines.start_of_line(), f"no answer within {limit_ms:.0f} ms"
        if raw:
            detail += ": this line has no end"
        elif self._dropped:
            raw, detail = self._dropped, f"{detail}: this line is none, for {self._why_dropped}"
        answer = self._answer(Answer(fault=faults.TIMEOUT, detail=detail, raw=raw))
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
        if self._frozen:  # else it could not come to its end
            proc.thaw()
            self._frozen = False
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
        if self._end and self._question is not None:
            self._deliver(self._crashed())

    def _crashed(self) -> Answer:
        raw = self._lines.start_of_line() or self._dropped
        answer = Answer(fault=faults.CRASH, detail=self._end, raw=raw)
        answer.wall_ms = answer.used_ms = max(0, self._broken - self._began) / 1e6
        self._question = None
        return answer

    def _part_now(self) -> None:
        self._disarm()
        parted, self._parted = self._parted, None
        if parted is not None:
            parted()
