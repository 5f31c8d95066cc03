"""What a line of a bot on pipes means: the answer to the open question, noise, an answer to another, out of turn.

Pure: bytes go in, and an answer without its times comes out. What a bot writes beside its answers is noted and
dropped, so much of it in a turn; more is a fault while a question is open, else it is heard no further
(protocol.md section 1).
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from botapi import faults, protocol
from botapi.drivers.base import Answer
from botapi.drivers.output import NOISE_LINES, STRAY_BYTES, STRAY_LINES, LineBuffer, LongLine, Notes

if TYPE_CHECKING:
    from botapi.drivers.base import Question

REMEMBERED: Final = 32
"""Questions without an answer in time whose late answers are told as such."""

_monotonic_ns = time.monotonic_ns


class Hearing:
    """Hears one process; ``question`` is the open one, None between the bot's turns."""

    def __init__(self, notes: Notes) -> None:
        self.question: Question | None = None
        self._notes = notes
        self._lines = LineBuffer()
        self._noise = 0
        self._strays = self._stray_bytes = 0
        self._dropped = b""
        """The last line of this turn that was no answer to its question, and why: for the author."""
        self._why_dropped = ""
        self._timed_out: OrderedDict[str, int] = OrderedDict()

    def open(self, question: Question | None) -> None:
        """A new turn begins; without a question it is that after the last one."""
        self.question = question
        self._strays = self._stray_bytes = 0
        self._dropped, self._why_dropped = b"", ""

    def give_up(self) -> Answer:
        """The time for the open question has passed: what there is instead of an answer."""
        assert self.question is not None
        self._timed_out[self.question.id] = _monotonic_ns()
        if len(self._timed_out) > REMEMBERED:
            self._timed_out.popitem(last=False)
        detail = f"no answer within {self.question.limit_ms:.0f} ms"
        if raw := self._lines.start_of_line():
            detail += ": this line has no end"
        elif raw := self._dropped:
            detail += f": this line is none, for {self._why_dropped}"
        return Answer(fault=faults.TIMEOUT, detail=detail, raw=raw)

    def last_words(self) -> bytes:
        """What came of an answer before the bot ended."""
        return self._lines.start_of_line() or self._dropped

    def hear(self, chunk: bytes) -> Answer | None:
        """The answer to the open question, if a line holds it. Everything else is noted and dropped."""
        self._lines.feed(chunk)
        return self._parse()

    def hear_out(self, chunk: bytes) -> None:
        """What was written before a question is no answer to it, be it held here or just read."""
        self._lines.feed(chunk)
        if self._lines.start_of_line():
            self.open(None)
            self._parse()
            if self.flooded:
                self._lines.drop()

    @property
    def flooded(self) -> bool:
        """Whether there were too many lines in this turn that nobody asked for."""
        return self._strays > STRAY_LINES or self._stray_bytes > STRAY_BYTES

    def _parse(self) -> Answer | None:
        while True:
            try:
                line = self._lines.next_line()
            except LongLine as error:
                if self.question is not None:
                    return Answer(fault=faults.BAD_REPLY, detail=str(error), raw=error.begin)
                self._notes.add(str(error))
                continue
            if line is None:
                return None
            answer = self._line(line)
            if answer is not None or (self.question is None and self.flooded):
                return answer

    def _line(self, line: bytes) -> Answer | None:
        question = self.question
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
            return Answer(fault=faults.BAD_REPLY, detail=str(error), raw=line)
        if reply.id != question.id:
            self._drop(line, f"it has another id than {question.id}")
            return None if self._stray(reply.id) else self._flooding(line)
        return Answer(reply=reply, raw=line)

    def _noisy(self, line: bytes) -> Answer | None:
        if line.strip():
            self._notes.add("not an answer: " + line[:200].decode("utf-8", "replace"))
            self._drop(line, "it does not begin with {")
        self._noise += 1
        if self._noise <= NOISE_LINES:
            return None
        if self.question is None:
            return self._flooding(line)
        self._noise = 0
        detail = f"over {NOISE_LINES} lines that are no answers"
        return Answer(fault=faults.BAD_REPLY, detail=detail, raw=self._dropped)

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
        """Count a line that nobody asked for; a fault once there are too many in the turn of a question."""
        self._strays += 1
        self._stray_bytes += len(line)
        if self.question is None or not self.flooded:
            return None
        detail = f"output flood: over {STRAY_LINES} answers, or {STRAY_BYTES} bytes, with other ids"
        return Answer(fault=faults.BAD_REPLY, detail=detail, raw=line)

    def _drop(self, line: bytes, why: str) -> None:
        self._dropped, self._why_dropped = line, why
