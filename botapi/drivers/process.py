"""An author's own program as a plain process: ``thousand play --no-sandbox`` (never an upload).

It runs as the author, unrestrained and never stopped between turns, so that a debugger can be attached.
"""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from botapi.drivers.pipes import PipeDriver

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from botapi.drivers.lag import LagMeter


class PlainProcess:
    """A started program behind the interface of ``pipes.BotProcess``."""

    def __init__(self, argv: Sequence[str]) -> None:
        self._popen = subprocess.Popen(
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        assert self._popen.stderr is not None
        self.pid = self._popen.pid
        self.stdin = os.dup(self._popen.stdin.fileno())
        self.stdout = os.dup(self._popen.stdout.fileno())
        self.stderr = os.dup(self._popen.stderr.fileno())
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            pipe.close()
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)
        self._schedstat = Path(f"/proc/{self.pid}/schedstat")

    def freeze(self) -> None:
        """Nothing: the author may be debugging it."""

    def thaw(self) -> None:
        """Nothing."""

    def used_ns(self) -> tuple[int, int]:
        """Processor and waiting time.

        Zeros where the system does not tell (then the wall clock alone counts).
        """
        try:
            cpu, delay, _ = self._schedstat.read_text().split()
        except (OSError, ValueError):
            return 0, 0
        return int(cpu), int(delay)

    def kill(self) -> None:
        """End it and whatever it started."""
        if self._popen.poll() is None:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                self._popen.kill()
        self._popen.wait()

    def ended(self) -> bool:
        """Whether it has ended."""
        return self._popen.poll() is not None

    def cause(self) -> str:
        """How it ended; one that goes on is ended."""
        code = self._popen.poll()
        if code is None:
            self.kill()
            return "it closed its stdin or stdout and went on"
        if code < 0:
            return f"it was ended by signal {signal.Signals(-code).name}"
        return f"it exited with status {code}"


def process_driver(
    argv: Sequence[str],
    *,
    failed: Callable[[BaseException], None],
    eager_ms: Callable[[], int],
    lag: LagMeter,
) -> PipeDriver:
    """A driver for the program ``argv``."""
    return PipeDriver(lambda: PlainProcess(argv), failed, eager_ms, lag)
