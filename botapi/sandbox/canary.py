"""Try each backend with a bot that tries to break out, before any match is played (sandbox.md section 2)."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from botapi.errors import PlatformError
from botapi.sandbox import landlock
from botapi.sandbox.backends import Capability, kinds, spawn
from botapi.sandbox.limits import MIB, Limits
from botapi.sandbox.proc import Cause, Ending, Proc
from botapi.sandbox.refusal import SandboxUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from botapi.sandbox.backends import Kind
    from botapi.sandbox.runtime import Runtime

QUIET_PROBES: Final = 16
WAIT_S: Final = 20.0
_BOT: Final = Path(__file__).with_name("canary_bot.py")
_FATAL: Final = ("ptrace", "unshare")
_FATAL_X86: Final = ("int80",)


def probe(kind: Kind, runtime: Runtime) -> Capability:
    """Whether ``kind`` holds on this machine, found out by running the canary in it: about 0.1 s."""
    reason = landlock.refusal() if kind == "landlock" else ""
    if not reason:
        try:
            with tempfile.TemporaryDirectory(dir=runtime.path) as place:
                reason = _sing(kind, runtime, Path(place))
        except (PlatformError, OSError, ValueError, KeyError) as error:
            reason = str(error)
    return Capability(kind, not reason, reason)


def choose_backend(setting: str, runtime: Runtime) -> Kind:
    """The first usable backend of ``setting`` (auto, bwrap, landlock).

    SandboxUnavailable, with each one's reason, when there is none; ValueError for another word.
    """
    reasons: dict[str, str] = {}
    for kind in kinds(setting):
        found = probe(kind, runtime)
        if found.usable:
            return kind
        reasons[kind] = found.reason
    raise SandboxUnavailable(reasons)


def _sing(kind: Kind, runtime: Runtime, place: Path) -> str:
    """Run all canaries side by side; the first reason against the backend, or nothing."""
    bot = place / "canary"
    bot.mkdir()
    shutil.copyfile(_BOT, bot / "main.py")
    secret = place / "secret"
    secret.write_text("canary")
    for path, mode in ((place, 0o755), (bot, 0o755), (bot / "main.py", 0o444), (secret, 0o444)):
        path.chmod(mode)
    fatal = _FATAL + (_FATAL_X86 if os.uname().machine == "x86_64" else ())
    procs: list[Proc] = []
    try:
        for attempt in ("quiet", *fatal):
            proc = spawn(bot, Limits(cpu_s=10, address_space=512 * MIB), backend=kind, runtime=runtime)
            procs.append(proc)
            order = json.dumps({"attempt": attempt, "secret": str(secret)}).encode() + b"\n"
            with contextlib.suppress(BrokenPipeError):
                os.write(proc.stdin, order)
        return _quiet(procs[0]) or _ended(fatal, procs[1:])
    finally:
        for proc in procs:
            proc.close()


def _quiet(proc: Proc) -> str:
    """What the refused operations came to."""
    answer = _read(proc)
    if not answer:
        return _silence(proc)
    heard = json.loads(answer)
    if heard["could"]:
        return f"a bot in it could do: {', '.join(heard['could'])}"
    if heard["tried"] != QUIET_PROBES:
        return f"the canary made {heard['tried']} of {QUIET_PROBES} attempts"
    return ""


def _ended(fatal: Sequence[str], procs: Sequence[Proc]) -> str:
    """Whether each fatal operation ended its canary."""
    for attempt, proc in zip(fatal, procs, strict=True):
        if _read(proc):
            return f"a bot in it could do: {attempt}"
        ending = proc.ending()
        if ending.cause is not Cause.FORBIDDEN and not (attempt == "int80" and ending.cause is Cause.SIGNAL):
            return f"the filter did not end a bot that tried {attempt}: {ending.detail}"
    return ""


def _silence(proc: Proc) -> str:
    """Why the canary did not answer: what the sandbox wrote, else how it ended."""
    try:
        ending: Ending | None = proc.ending()
        reason = ending.detail if ending else ""
    except PlatformError as error:
        reason = str(error)
    try:
        told = os.read(proc.stderr, 2000).decode("utf-8", "replace").strip()
    except BlockingIOError:
        told = ""
    return f"{told.splitlines()[-1]} ({reason})" if told else reason


def _read(proc: Proc) -> bytes:
    """One line of its stdout, nothing when it ends or says nothing in time."""
    text, until = b"", time.monotonic() + WAIT_S
    while not text.endswith(b"\n"):
        poll = select.poll()
        poll.register(proc.stdout, select.POLLIN)
        if not poll.poll(max(0.0, until - time.monotonic()) * 1000):
            return b""
        more = os.read(proc.stdout, 4096)
        if not more:
            return b""
        text += more
    return text
