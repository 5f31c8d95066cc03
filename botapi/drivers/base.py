"""What passes between a match and a driver: questions, answers, and the driver's own interface."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from botapi import faults, protocol
from botapi.errors import PlatformError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Kind = Literal["hello", "act"]

GRACE_MS = 10.0
"""Added to every limit before it counts as passed: the service's own unsteadiness."""
BUSY_STATUSES: Final = frozenset({429, 502, 503, 504})
"""Of HTTP: said by whatever stands before the bot as often as by the bot, and perhaps not the next time."""
STARVED: Final = "starved"
"""So the reason begins for which a match on a starved machine is given up."""
STARVED_FACTOR: Final = 3
STARVED_EXTRA_MS: Final = 1000.0


def starving_ms(limit_ms: float) -> float:
    """The time on the wall after which a question of ``limit_ms`` is given up, whoever used it (sandbox.md 8)."""
    return STARVED_FACTOR * limit_ms + STARVED_EXTRA_MS


@dataclass(slots=True)
class Question:
    """One request to one seat.

    ``content`` is the message (protocol.md section 2), ``limit_ms`` the time it may use. An ``act`` also
    carries the
    ``view`` and the ``legal`` actions as values, for people, who need no bytes. A ``forged`` one goes out
    with a wrong signature: the check of an endpoint.
    """

    seat: int
    kind: Kind
    id: str
    limit_ms: float
    content: Mapping[str, Any]
    view: Mapping[str, Any] = field(default_factory=dict)
    legal: Sequence[str] = ()
    forged: bool = False
    _bytes: bytes = b""

    def encode(self) -> bytes:
        """The message's bytes, encoded once."""
        if not self._bytes:
            self._bytes = protocol.encode(self.content)
        return self._bytes


@dataclass(slots=True)
class Answer:
    """What came back: a decoded ``reply``, or ``fault`` (a code of protocol.md 5) with its ``detail``.

    ``raw`` is the answer's bytes as received, cut to the size limit. Times are milliseconds: ``wall_ms``
    around the request, ``delay_ms`` of it the machine's fault (waiting for a processor, a stalled host),
    ``cpu_ms`` computing, ``used_ms`` what counts on the clock; ``start_ms`` how long starting the bot took,
    with the answer to ``hello``. ``status`` is that of an endpoint's answer, 0 where none came.
    """

    reply: protocol.Reply | None = None
    fault: str = ""
    detail: str = ""
    raw: bytes = b""
    wall_ms: float = 0.0
    used_ms: float = 0.0
    cpu_ms: float = 0.0
    delay_ms: float = 0.0
    start_ms: float = 0.0
    status: int = 0


def raise_if_starved(question: Question, answer: Answer) -> None:
    """PlatformError when a question was given up although the bot had not used its time: the machine had."""
    if answer.fault == faults.TIMEOUT and answer.used_ms <= question.limit_ms + GRACE_MS:
        raise PlatformError(
            f"{STARVED}: seat {question.seat} waited {answer.delay_ms:.0f} ms for the machine "
            f"and used only {answer.used_ms:.0f} ms of its time"
        )


@dataclass(slots=True)
class DriverLog:
    """What a driver kept for the author's private log: the bot's ``stderr`` and one line for each oddity."""

    stderr: str = ""
    notes: list[str] = field(default_factory=list)


class Driver(Protocol):
    """One bot in one match. All methods are called from the host's event loop and never block for long.

    A driver may raise PlatformError from any method, or hand it to the ``failed`` callback it was made with:
    the service failed and the match is repeated.
    """

    def start(self, question: Question, done: Callable[[Answer], None]) -> None:
        """Begin (or begin again) and ask ``hello``; ``done`` is called once, later, with the answer."""

    def ask(self, question: Question, done: Callable[[Answer], None]) -> Answer | None:
        """Ask ``act``: the answer at once, or None and ``done`` is called later."""

    def tell(self, kind: str, message: bytes) -> None:
        """Send a one-way message (``deal_end``, ``match_end``); nothing comes back."""

    def part(self, parted: Callable[[], None]) -> None:
        """The match is over: let the bot take in what it was told, for a moment, then call ``parted``."""

    def close(self) -> None:
        """End the bot and free what it held. Safe to call twice."""

    def log(self) -> DriverLog:
        """What was kept so far."""


class BotProcess(Protocol):
    """A started process: descriptors for this side of its pipes, and its controls."""

    stdin: int
    stdout: int
    stderr: int

    def freeze(self) -> None:
        """Stop it."""

    def thaw(self) -> None:
        """Let it go on."""

    def used_ns(self) -> tuple[int, int]:
        """Processor time used and time spent waiting for a processor so far, in nanoseconds."""

    def kill(self) -> None:
        """End it at once."""

    def ended(self) -> bool:
        """Whether it has ended by itself or otherwise. Never waits."""

    def cause(self) -> str:
        """Why it ended, in words for its author; one that goes on is ended. Never waits for long.

        PlatformError if the sandbox itself failed.
        """
