"""A process that the demo or the tests start: what it is, and how it is started.

None outlives its parent: ``PR_SET_PDEATHSIG`` makes the kernel send it a signal when the parent dies, even by
kill -9 (stack.md, trap 6; Linux only).
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LIBC = ctypes.CDLL(None, use_errno=True)


class ProgramError(Exception):
    """A program did not start; the message holds the end of its log."""


@dataclass(frozen=True)
class Account:
    """The user a program runs as."""

    uid: int
    gid: int


@dataclass(frozen=True)
class Program:
    """One program: its command, its whole environment (nothing is inherited), its log, its sign of readiness.

    ``stops``: signals that end it, sent in turn, each with its seconds of grace; then SIGKILL for its group.
    ``deathsig``: what the kernel sends it when its parent is gone. ``rank``: those of the highest stop first.
    """

    name: str
    argv: tuple[str, ...]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    ready: Callable[[], bool] = lambda: True
    ready_seconds: float = 30
    stops: tuple[tuple[signal.Signals, float], ...] = ((signal.SIGTERM, 10),)
    deathsig: signal.Signals = signal.SIGKILL
    account: Account | None = None
    directory: Path = Path("/")
    rank: int = 0

    def log_tail(self, characters: int = 1500) -> str:
        """The end of its log."""
        if not self.log.exists():
            return ""
        return self.log.read_text(errors="replace")[-characters:].strip()


def die_with_parent(deathsig: signal.Signals, account: Account | None = None) -> Callable[[], None]:
    """A ``preexec_fn`` that drops to ``account`` and then asks for ``deathsig`` at the parent's death.

    In this order: a change of user clears PR_SET_PDEATHSIG.
    """
    parent = os.getpid()

    def prepare() -> None:
        if account is not None:
            os.setgroups([])
            os.setgid(account.gid)
            os.setuid(account.uid)
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(deathsig), 0, 0, 0)
        if os.getppid() != parent:  # it died before the line above
            os._exit(1)

    return prepare


def adopt_orphans() -> None:
    """Make this process the parent of its descendants' orphans, so that it can end them too."""
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def follow_parent(deathsig: signal.Signals = signal.SIGKILL) -> None:
    """Ask the kernel to send this very process ``deathsig`` when its parent dies."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, int(deathsig), 0, 0, 0)


def spawn(program: Program) -> subprocess.Popen[bytes]:
    """Start it in a session of its own, out of reach of a terminal's Ctrl-C; its output goes to its log."""
    program.log.parent.mkdir(parents=True, exist_ok=True)
    with program.log.open("ab") as log:
        return subprocess.Popen(
            program.argv,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=program.directory,
            env={"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", **program.environment},
            preexec_fn=die_with_parent(program.deathsig, program.account),  # noqa: PLW1509 - no other thread runs here
            start_new_session=True,
        )
