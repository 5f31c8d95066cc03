"""Start a sandbox's first process: pipes, an empty environment, another user when the host is root."""

from __future__ import annotations

import contextlib
import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from botapi.sandbox.proc import Started

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ENVIRONMENT: Final = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/tmp",  # noqa: S108 - inside the sandbox, where it is empty and read-only
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
"""All that a bot's environment holds."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The descriptors that a sandbox's first process inherits besides the three standard ones."""

    status: int
    info: int = -1
    filter: int = -1
    gate: int = -1


@dataclass(frozen=True, slots=True)
class Launch:
    """What differs between backends. ``argv`` is made once the inherited descriptors are known."""

    argv: Callable[[Ends], Sequence[str]]
    environment: dict[str, str]
    with_info: bool = False
    filter: str = ""
    gated: bool = False
    """Whether the first process waits for a byte before it starts the bot, so as to be put into a group."""


def launch(plan: Launch, *, uid: int, privileged: bool, cpu_limit_s: int) -> Started:
    """Fork, become ``uid`` when ``privileged``, execute.

    Nothing of the host passes but the pipes. That the child dies with the host is seen to after the change of
    user, by bubblewrap and by the shim (the kernel forgets it at the change); a host that is gone before that
    is noticed by the shim, which reports to it last. OSError when the system refuses.
    """
    with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
        stdin, to_stdin = _pipe(theirs, ours, reads=True)
        stdout, from_stdout = _pipe(theirs, ours, reads=False)
        stderr, from_stderr = _pipe(theirs, ours, reads=False)
        status, from_status = _pipe(theirs, ours, reads=False)
        info, from_info = _pipe(theirs, ours, reads=False) if plan.with_info else (-1, -1)
        gate, to_gate = _pipe(theirs, ours, reads=True) if plan.gated else (-1, -1)
        program = -1
        if plan.filter:
            program = os.open(plan.filter, os.O_RDONLY | os.O_CLOEXEC)
            theirs.callback(os.close, program)
        popen = subprocess.Popen(
            list(plan.argv(Ends(status, info, program, gate))),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=[fd for fd in (status, info, program, gate) if fd >= 0],
            env=plan.environment,
            cwd="/",
            start_new_session=True,
            user=uid if privileged else None,
            group=uid if privileged else None,
            extra_groups=[] if privileged else None,
            umask=0o077,
        )
        for descriptor in (to_stdin, from_stdout, from_stderr):
            os.set_blocking(descriptor, False)
        ours.pop_all()
    return Started(popen, to_stdin, from_stdout, from_stderr, from_status, from_info, to_gate, cpu_limit_s)


def _pipe(theirs: contextlib.ExitStack, ours: contextlib.ExitStack, *, reads: bool) -> tuple[int, int]:
    """(their end, our end): ``theirs`` and ``ours`` close them. The child reads or writes."""
    reader, writer = os.pipe()
    their, our = (reader, writer) if reads else (writer, reader)
    theirs.callback(os.close, their)
    ours.callback(os.close, our)
    return their, our
