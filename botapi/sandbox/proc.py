"""A running sandbox: descriptors, stopping, meters, the end and its cause (sandbox.md 2, 5 and 8)."""

from __future__ import annotations

import contextlib
import ctypes
import enum
import json
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from botapi.errors import PlatformError

if TYPE_CHECKING:
    from collections.abc import Callable

    from botapi.sandbox.groups import Group

SHIM_OUT_OF_MEMORY: Final = 96
START_WAIT_S: Final = 10.0
"""How long a question about a sandbox waits for the sandbox to be up."""
END_WAIT_S: Final = 2.0
_PR_SET_CHILD_SUBREAPER: Final = 36


def adopt_orphans() -> None:
    """Have what sandboxes leave come to this process.

    bubblewrap ends without collecting its child. Else that falls to the machine's first process, which in a
    container may be one that collects nothing: a zombie would be left of each bot.
    """
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Cause(enum.Enum):
    """Why a sandbox ended."""

    EXITED = "exited"
    MEMORY = "memory"
    CPU = "cpu"
    SIGNAL = "signal"
    FORBIDDEN = "forbidden operation"
    CLOSED = "closed"
    ENDED = "ended"
    """By the service: ``kill``."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A cause and, in words for the bot's author, what was seen."""

    cause: Cause
    detail: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Nanoseconds since the start: processor time of all threads, and waiting for a processor."""

    cpu_ns: int
    delay_ns: int


@dataclass(slots=True)
class Started:
    """What a backend hands over: the process it started, and this side of its pipes.

    ``info`` is bubblewrap's description of its child, -1 where the process is the bot itself. A byte on
    ``gate`` lets it start the bot, -1 where it does not wait.
    """

    popen: subprocess.Popen[bytes]
    stdin: int
    stdout: int
    stderr: int
    status: int
    info: int
    gate: int
    cpu_limit_s: int


class Proc:
    """One bot in its sandbox.

    ``stdin``, ``stdout`` and ``stderr`` are non-blocking descriptors which the caller closes (or ``close``
    does). ``freeze``, ``thaw`` and ``used_ns`` stand on the hot path: a system call or two each. They do
    nothing when the bot is gone: the end shows in its pipes.
    """

    def __init__(self, started: Started, freed: Callable[[], None], group: Group | None = None) -> None:
        self.stdin, self.stdout, self.stderr = started.stdin, started.stdout, started.stderr
        self._popen = started.popen
        self._status, self._info = started.status, started.info
        self._behind_bwrap = started.info >= 0
        # the kernel's sums differ a little from those it limits by
        self._cpu_limit_ns = started.cpu_limit_s * 1_000_000_000 - 500_000_000
        self._group = group
        self._gate = started.gate
        self._freed: Callable[[], None] | None = freed
        self._told = b""
        self._init_pid = 0
        self._pid = 0
        self._pidfd = self._init_fd = self._schedstat = -1
        self._clock = 0
        self._used = (0, 0)
        self._cpu_at_end_ns = 0
        self._looked = False
        self._killed = False
        self._went_on = False

    def enter(self) -> None:
        """Put the sandbox into its group and let it start. PlatformError if the machine refuses."""
        if self._group is not None:
            try:
                pid = self._init() if self._behind_bwrap else self._popen.pid
                if pid <= 0:
                    raise ProcessLookupError("bubblewrap did not tell of its child")
                self._group.add(pid)
                os.write(self._gate, b"G")
            except OSError as error:
                self.close()
                raise PlatformError(
                    f"the sandbox could not be put into its control group: {error}"
                ) from error
            self._gate = _closed(self._gate)

    # -- which process it is -----------------------------------------------------------------------

    @property
    def pid(self) -> int:
        """The bot's process id as the host sees it; waits for the sandbox to be up. 0 when it is gone."""
        if not self._looked:
            self._look()
        return self._pid

    def started(self, wait_s: float = START_WAIT_S) -> bool:
        """Whether the shim has finished and the bot runs (or ran) inside all its restrictions."""
        if self._status >= 0 and _readable(self._status, wait_s):
            self._told += os.read(self._status, 1024)
            if not self._told.startswith(b"R"):
                self._read_rest()
            self._status = _closed(self._status)
        return self._told.startswith(b"R")

    def _read_rest(self) -> None:
        while more := os.read(self._status, 1024):
            self._told += more

    def _look(self) -> None:
        """Find the bot's process once it runs, and keep what the hot path needs open."""
        if not self.started() or self._killed:
            return
        self._looked = True
        pid = self._child_of_init() if self._behind_bwrap else self._popen.pid
        if not pid:
            return
        try:
            self._pidfd = os.pidfd_open(pid)
            self._schedstat = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return
        if self._behind_bwrap and self._child_of_init() != pid:
            self._pidfd = _closed(self._pidfd)
            return
        self._pid = pid
        # the CPU time of a whole process as a clock (clock_getcpuclockid(3)): exact, and of all its threads
        self._clock = (~pid << 3) | 2

    def _init(self) -> int:
        """The first process of the sandbox's own pid namespace, told by bubblewrap; 0 when it does not."""
        if self._info >= 0:
            text = b""
            with contextlib.suppress(OSError):
                while _readable(self._info, END_WAIT_S):
                    more = os.read(self._info, 1024)
                    text += more
                    if not more or b"}" in text:
                        break
            self._info = _closed(self._info)
            with contextlib.suppress(ValueError, KeyError, TypeError, OSError):
                self._init_pid = int(json.loads(text)["child-pid"])
                self._init_fd = os.pidfd_open(self._init_pid)
        return self._init_pid if self._init_fd >= 0 else 0

    def _child_of_init(self) -> int:
        init = self._init()
        with (
            contextlib.suppress(OSError, ValueError, IndexError),
            open(f"/proc/{init}/task/{init}/children") as file,
        ):
            return int(file.read().split()[0])
        return 0

    # -- the hot path ------------------------------------------------------------------------------

    def freeze(self) -> None:
        """Stop the bot."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let the bot go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, which: int) -> None:
        if not self._looked:
            self._look()
        if self._pidfd >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, which)

    def used_ns(self) -> tuple[int, int]:
        """``usage`` as a plain pair: (cpu, delay)."""
        if not self._looked and self.started(0):
            self._look()
        if self._schedstat >= 0:
            try:
                delay = int(os.pread(self._schedstat, 96, 0).split()[1])
                self._used = time.clock_gettime_ns(self._clock), delay
            except (OSError, IndexError, ValueError):
                pass
        return self._used

    def usage(self) -> Usage:
        """Processor time of all its threads, and its waiting for a processor, as far as known."""
        return Usage(*self.used_ns())

    # -- the end -----------------------------------------------------------------------------------

    def kill(self) -> None:
        """End the bot and everything of its sandbox, wait until it is gone. Safe to call twice."""
        if self._freed is None:
            return
        if not self._reap(wait_s=0):
            self._killed = True
            self.used_ns()
            self._kill_all()
        self._free()

    def _kill_all(self) -> None:
        if self._behind_bwrap and self._info >= 0:
            self._init()
        if self._init_fd >= 0:
            # the first process of a pid namespace takes all others with it
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init_fd, signal.SIGKILL)
        elif self._pidfd >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        self._popen.kill()
        self._reap(wait_s=None)

    def _reap(self, wait_s: float | None) -> bool:
        """Whether the process has ended, after at most ``wait_s`` (None: for ever)."""
        popen = self._popen
        if popen.returncode is not None:
            return True
        if wait_s:
            ended = os.pidfd_open(popen.pid)
            _readable(ended, wait_s)
            os.close(ended)
        pid, status, used = os.wait4(popen.pid, os.WNOHANG if wait_s is not None else 0)
        if pid:
            popen.returncode = os.waitstatus_to_exitcode(status)
            self._cpu_at_end_ns = int((used.ru_utime + used.ru_stime) * 1e9)
        return bool(pid)

    def _collect(self) -> None:
        """Collect the sandbox's first process, which bubblewrap leaves behind: see ``adopt_orphans``."""
        init = self._init()
        if init and _readable(self._init_fd, END_WAIT_S):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(init, os.WNOHANG)

    def _free(self) -> None:
        freed, self._freed = self._freed, None
        self._collect()
        self._status, self._info = _closed(self._status), _closed(self._info)
        self._pidfd, self._init_fd = _closed(self._pidfd), _closed(self._init_fd)
        self._schedstat, self._gate = _closed(self._schedstat), _closed(self._gate)
        if self._group is not None:
            self._group.remove()
        if freed is not None:
            freed()

    def close(self) -> None:
        """``kill``, and close the three descriptors."""
        self.kill()
        self.stdin, self.stdout, self.stderr = _closed(self.stdin), _closed(self.stdout), _closed(self.stderr)

    def ended(self) -> bool:
        """Whether it has ended by now. Never waits."""
        return self._reap(0)

    def cause(self) -> str:
        """Why it ended, in words for its author; one that goes on is ended. PlatformError as ``ending``."""
        return self.ending(0).detail

    def ending(self, wait_s: float = END_WAIT_S) -> Ending:
        """How it ended, after at most ``wait_s`` for it to do so; a bot that goes on is ended then.

        PlatformError when it was not the bot that ended but the sandbox that never came up.
        """
        if not self._reap(wait_s):
            self.kill()
            # one that was about to end keeps its own exit status
            self._went_on = self._popen.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)
            self._killed = self._went_on
        if self._went_on:
            return Ending(Cause.CLOSED, "it closed its stdin or stdout and went on")
        if self._killed:
            return Ending(Cause.ENDED, "it was ended by the service")
        code = self._popen.returncode
        assert code is not None
        if not self.started(0):
            why = self._told[:400].decode("utf-8", "replace").removeprefix("F") or "no word from inside"
            raise PlatformError(f"the sandbox did not come up: exit status {code}, {why}")
        return self._read_code(code)

    def _read_code(self, code: int) -> Ending:
        number = -code if code < 0 else code - 128 if self._behind_bwrap and code > 128 else 0
        if not number:
            if code == SHIM_OUT_OF_MEMORY:
                return Ending(Cause.MEMORY, "it ran out of memory")
            return Ending(Cause.EXITED, f"it exited with status {code}")
        if number == signal.SIGSYS:
            return Ending(Cause.FORBIDDEN, "forbidden operation: a system call that no bot may make")
        if number == signal.SIGKILL and self._group is not None and self._group.out_of_memory():
            return Ending(Cause.MEMORY, "it used more memory than a bot may")
        if number == signal.SIGXCPU or (
            number == signal.SIGKILL and self._cpu_at_end_ns >= self._cpu_limit_ns
        ):
            return Ending(Cause.CPU, "it used up the processor time of a whole match")
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = str(number)
        return Ending(Cause.SIGNAL, f"it was ended by signal {name}")


def _readable(descriptor: int, wait_s: float) -> bool:
    """Whether there is something to read, or an end, within ``wait_s``; the descriptor may be above 1023."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(wait_s * 1000))


def _closed(descriptor: int) -> int:
    if descriptor >= 0:
        os.close(descriptor)
    return -1
