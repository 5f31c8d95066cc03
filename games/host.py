"""The match host: plays matches and checks, one to many at a time, told by JSON lines (architecture.md).

``python -I -m games.host --runtime DIR [--backend auto|bwrap|landlock]`` runs with an empty environment,
takes jobs on stdin and writes events to stdout, one JSON object a line each way. It has no database, no
broker and no settings. Nothing a bot does ends it; a failure of the service ends one match as ``failed``.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import os
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from games.job import Job, Pace
from games.outbox import Outbox
from games.seats import Drivers
from games.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EAGER_MS: Final = 2
"""How long a lone match waits for a quick answer outside the event loop."""
EXIT_REFUSED: Final = 78
GARBAGE: Final = 10_000
"""Objects made before the collector looks at them; what bots send makes none that refer to each other."""
DESCRIPTORS: Final = 65_536
"""Enough for 128 matches with a sandbox in each seat; a bot's own limit is set in its sandbox."""


class AnswerLine(msgspec.Struct, frozen=True, tag="answer"):
    """A person's action."""

    match: str
    attempt: int
    seat: int
    action: str


class SignedLine(msgspec.Struct, frozen=True, tag="signed"):
    """The signed headers of a request that the parent was asked to sign."""

    match: str
    attempt: int
    id: str
    headers: dict[str, str]


class StoredLine(msgspec.Struct, frozen=True, tag="stored"):
    """The parent has stored decision ``number`` of a table with a person."""

    match: str
    attempt: int
    number: int


class AwayLine(msgspec.Struct, frozen=True, tag="away"):
    """A person is away, or back."""

    match: str
    attempt: int
    seat: int
    away: bool


class PaceLine(Pace, frozen=True, tag="pace"):
    """The pace of a table, from its next move on."""

    match: str = ""
    attempt: int = 0


class StoodLine(msgspec.Struct, frozen=True, tag="stood"):
    """The clocks of people stood still for ``ms``: nobody could answer."""

    match: str
    attempt: int
    ms: int


class DropLine(msgspec.Struct, frozen=True, tag="drop"):
    """The match is no longer wanted: end it without a word."""

    match: str
    attempt: int


class JobLine(Job, frozen=True, tag="job"):
    """A job to begin."""


class StopLine(msgspec.Struct, frozen=True, tag="stop"):
    """End everything and exit."""


_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(
    AnswerLine | SignedLine | StoredLine | AwayLine | PaceLine | StoodLine | DropLine | JobLine | StopLine
)


def _never(_resume: Callable[[], None]) -> bool:
    """Whoever takes each event at once is never behind."""
    return False


class Host:
    """The matches in progress. ``emit`` says one event; ``pause``: see ``runner.Runner``."""

    def __init__(
        self,
        drivers: Callable[[Host], Drivers],
        emit: Callable[[dict[str, Any]], None],
        pause: Callable[[Callable[[], None]], bool] = _never,
    ) -> None:
        self.emit = emit
        self.pause = pause
        self.tables: dict[tuple[str, int], Table] = {}
        self.stopped = asyncio.Event()
        self.drivers = drivers(self)

    def eager_ms(self) -> int:
        """Wait outside the event loop only while one match is all there is to do."""
        return EAGER_MS if len(self.tables) == 1 else 0

    def take(self, line: bytes) -> None:
        """Act on one line from the parent."""
        try:
            message = _decoder.decode(line)
        except (msgspec.DecodeError, ValueError) as error:
            self.emit({"type": "error", "reason": f"not a message for the host: {error}"})
            return
        if isinstance(message, StopLine):
            self.stopped.set()
        elif isinstance(message, JobLine):
            self.begin(message)
        elif (table := self.tables.get((message.match, message.attempt))) is not None:
            self._tell(table, message)

    def _tell(self, table: Table, message: Any) -> None:
        """Pass a message on to the table it is for."""
        if isinstance(message, AnswerLine):
            table.answer(message.seat, message.action)
        elif isinstance(message, StoredLine):
            table.stored(message.number)
        elif isinstance(message, SignedLine):
            table.signed(message.id, message.headers)
        elif isinstance(message, AwayLine):
            table.set_away(message.seat, message.away)
        elif isinstance(message, PaceLine):
            table.set_pace(message)
        elif isinstance(message, StoodLine):
            table.stand_still(message.ms)
        else:
            del self.tables[message.match, message.attempt]
            table.abandon()

    def begin(self, job: Job) -> None:
        """Begin a job."""
        key = (job.match, job.attempt)
        if key in self.tables:
            self.emit(
                {
                    "type": "error",
                    "reason": f"match {job.match} attempt {job.attempt} is already being played",
                }
            )
            return
        table = Table(job, self.drivers, self.emit, lambda: self.tables.pop(key, None), self.pause)
        self.tables[key] = table
        table.begin()

    async def close(self) -> None:
        """End what is still going on, without a word about it."""
        for table in list(self.tables.values()):
            table.abandon()
        await self.drivers.close()


class _Input:
    """Lines from a descriptor, through the event loop."""

    def __init__(self, descriptor: int, take: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._take = take
        self._ended = ended
        self._data = b""
        self._loop = asyncio.get_running_loop()
        self._regular = not self._watch()

    def _watch(self) -> bool:
        try:
            self._loop.add_reader(self._descriptor, self._read)
        except PermissionError:  # a regular file cannot be waited for; read it through
            self._loop.call_soon(self._read)
            return False
        return True

    def _read(self) -> None:
        chunk = os.read(self._descriptor, 1 << 20)
        if not chunk:
            if not self._regular:
                self._loop.remove_reader(self._descriptor)
            self._ended()
            return
        *lines, self._data = (self._data + chunk).split(b"\n")
        for line in lines:
            if line.strip():
                self._take(line)
        if self._regular:
            self._loop.call_soon(self._read)


def _collect_rarely() -> None:
    """A collection of garbage stops every match: make it rare, and spare it what is loaded once and stays."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE, 20, 20)


def _allow_descriptors() -> None:
    """Raise the soft limit of open files, often 1024, as far as wanted and allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _serve(options: argparse.Namespace) -> int:
    """Play until told to stop or until the parent is gone."""
    outbox = Outbox(1, lambda: host.stopped.set())  # noqa: PLW0108 - the host is made after its outbox
    host = Host(
        lambda host: Drivers(
            options.runtime,
            options.backend,
            plain=options.no_sandbox,
            eager_ms=host.eager_ms,
            python=options.python,
            bwrap=options.bwrap,
            packages=options.packages,
            require_group=options.require_cgroup,
        ),
        outbox.emit,
        outbox.pause,
    )
    try:
        return await _play(host, options)
    finally:
        outbox.close()


async def _play(host: Host, options: argparse.Namespace) -> int:
    if not options.no_sandbox:
        from botapi.sandbox import SandboxUnavailable

        try:
            host.drivers.prepare_sandbox()
        except SandboxUnavailable as error:
            host.emit({"type": "unavailable", "reason": str(error)})
            return EXIT_REFUSED
    drivers = host.drivers
    host.emit(
        {
            "type": "ready",
            "backend": drivers.backend_name,
            "environment": drivers.environment,
            "pid": os.getpid(),
        }
    )
    _Input(0, host.take, host.stopped.set)
    await host.stopped.wait()
    await host.close()
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the host; exit status 78 when no safe sandbox is to be had."""
    parser = argparse.ArgumentParser(
        prog="games.host", description="Play matches told by JSON lines on stdin."
    )
    parser.add_argument("--runtime", type=Path, help="directory for what sandboxes need (made when missing)")
    parser.add_argument("--backend", choices=("auto", "bwrap", "landlock"), default="auto")
    parser.add_argument("--python", default="/usr/bin/python3", help="what sandboxed bots run on")
    parser.add_argument("--bwrap", default="", help="bubblewrap (found by itself when empty)")
    parser.add_argument("--packages", type=Path, help="directory in which packages for bots are built")
    parser.add_argument(
        "--require-cgroup", action="store_true", help="a control group for each bot, or no match at all"
    )
    parser.add_argument(
        "--no-sandbox", action="store_true", help="allow plain processes: the owner's own code only"
    )
    options = parser.parse_args(argv)
    _allow_descriptors()
    _collect_rarely()
    with contextlib.suppress(KeyboardInterrupt):
        return asyncio.run(_serve(options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
