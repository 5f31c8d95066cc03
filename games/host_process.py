"""One match host seen from its worker: started with an empty environment, told and heard by JSON lines.

The host never outlives its worker: the kernel kills it when the process that started it dies, and it ends by
itself when its stdin closes (stack.md, trap 6).
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from django.conf import settings

from botapi.errors import PlatformError
from botapi.sandbox.places import packages_directory

READY_S: Final = 60
"""How long a host may take to find its sandbox and say so."""
CHUNK: Final = 1 << 20
_PR_SET_PDEATHSIG: Final = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


class NoSandbox(PlatformError):  # noqa: N818 - what it is
    """No safe sandbox on this machine; the text names each backend's reason and its mend."""


class HostLost(PlatformError):  # noqa: N818 - what happened
    """The host ended or stopped talking; what it played is lost."""


def die_with_parent() -> Callable[[], None]:
    """A ``preexec_fn``: the kernel kills the new process when its parent dies, even by kill -9."""
    parent = os.getpid()

    def prepare() -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:  # it died before the line above
            os._exit(1)

    return prepare


class _Log(msgspec.Struct):
    """A seat's log: ``turns`` stay the bytes they came as, they are large and only stored."""

    turns: msgspec.Raw = msgspec.Raw(b"[]")
    stderr: str = ""
    notes: list[dict[str, Any]] = []
    oddities: list[str] = []


class _Finished(msgspec.Struct):
    """The event ``finished``, of which a worker reads megabytes."""

    type: str
    match: str
    attempt: int
    record: dict[str, Any]
    faults: list[dict[str, Any]]
    logs: list[_Log]
    seconds: float
    decisions: int
    timings: dict[str, Any] = {}


_FINISHED: Final = b'{"type":"finished",'
_decode_finished = msgspec.json.Decoder(_Finished).decode
_decode = msgspec.json.Decoder().decode


def decode_event(line: bytes) -> dict[str, Any]:
    """One event of a host; in ``finished`` each log's ``turns`` are JSON bytes."""
    if not line.startswith(_FINISHED):
        event: dict[str, Any] = _decode(line)
        return event
    found = msgspec.structs.asdict(_decode_finished(line))
    found["logs"] = [{**msgspec.structs.asdict(log), "turns": bytes(log.turns)} for log in found["logs"]]
    return found


class HostProcess:
    """A running host. ``send`` gives it a message; ``events`` yields what it says; ``close`` ends it.

    ``environment`` is what its sandboxed bots run on (``Runtime.told``).
    """

    def __init__(self, runtime: Path, *, backend: str | None = None) -> None:
        self.started = time.monotonic()
        self.environment: dict[str, Any] = {}
        packages = packages_directory(settings.SANDBOX_PACKAGES, settings.SANDBOX_RUNTIME)
        self._data = bytearray()
        self._outbox = b""
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-m", "games.host"),
                *("--runtime", str(runtime), "--backend", backend or settings.SANDBOX_BACKEND),
                *("--python", settings.SANDBOX_PYTHON, "--bwrap", settings.SANDBOX_BWRAP),
                *(["--packages", str(packages)] if packages else []),
                *(["--require-cgroup"] if settings.SANDBOX_REQUIRE_CGROUP else []),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"},
            cwd="/",
            bufsize=0,
            close_fds=True,
            preexec_fn=die_with_parent(),  # noqa: PLW1509 - a pool process has one thread
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin = self._process.stdin
        self._stdout = self._process.stdout
        with contextlib.suppress(OSError):  # a smaller pipe only means more, shorter reads
            fcntl.fcntl(self._stdout.fileno(), fcntl.F_SETPIPE_SZ, CHUNK)
        os.set_blocking(self._stdin.fileno(), False)
        os.set_blocking(self._stdout.fileno(), False)
        self.backend = self._wait_until_ready()

    @property
    def pid(self) -> int:
        """The host's process id."""
        return self._process.pid

    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def send(self, message: Mapping[str, Any]) -> None:
        """Queue one message and write what the pipe takes; the rest goes out with the next :meth:`events`."""
        self._outbox += msgspec.json.encode(message) + b"\n"
        self._flush()

    def events(self, seconds: float) -> list[dict[str, Any]]:
        """What the host has said, waiting at most ``seconds`` for it; raises HostLost when it has ended."""
        writers = [self._stdin] if self._outbox else []
        readable, writable, _ = select.select([self._stdout], writers, [], seconds)
        if writable:
            self._flush()
        return list(self._read()) if readable else []

    def has_more(self) -> bool:
        """Whether something it has said is not read yet: a line may be longer than one read."""
        return bool(select.select([self._stdout], [], [], 0)[0])

    def close(self) -> None:
        """End the host and its bots at once."""
        for pipe in (self._stdin, self._stdout):
            with contextlib.suppress(OSError):
                pipe.close()
        try:
            self._process.wait(2)  # its stdin is closed: it kills its sandboxes and leaves
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _flush(self) -> None:
        try:
            while self._outbox:
                written = os.write(self._stdin.fileno(), self._outbox[:CHUNK])
                self._outbox = self._outbox[written:]
        except BlockingIOError:
            return
        except OSError as error:
            raise HostLost(f"the match host took no more messages: {error}") from error

    def _read(self) -> Iterator[dict[str, Any]]:
        try:
            chunk = os.read(self._stdout.fileno(), CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            raise HostLost(f"the match host ended with status {self._process.wait()}")
        searched = len(self._data)
        self._data += chunk
        while (end := self._data.find(b"\n", searched)) >= 0:
            line = bytes(self._data[:end])
            del self._data[: end + 1]
            searched = 0
            yield decode_event(line)

    def _wait_until_ready(self) -> str:
        deadline = time.monotonic() + READY_S
        try:
            while (left := deadline - time.monotonic()) > 0:
                for event in self.events(left):
                    if event["type"] == "unavailable":
                        raise NoSandbox(event["reason"])
                    if event["type"] == "ready":
                        self.environment = event["environment"]
                        return str(event["backend"])
            raise HostLost(f"the match host was not ready within {READY_S} s")
        except PlatformError:
            self.close()
            raise
