"""Which backends this machine carries, and starting a bot in one (sandbox.md section 2).

There is no backend without a sandbox.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from botapi.errors import PlatformError
from botapi.sandbox import bwrap, landlock
from botapi.sandbox.launch import launch
from botapi.sandbox.limits import Limits
from botapi.sandbox.proc import Proc

if TYPE_CHECKING:
    from pathlib import Path

    from botapi.sandbox.launch import Launch
    from botapi.sandbox.runtime import Runtime

Kind = Literal["bwrap", "landlock"]
KINDS: Final[tuple[Kind, ...]] = ("bwrap", "landlock")
"""In the order of ``auto``."""


@dataclass(frozen=True, slots=True)
class Capability:
    """Whether a backend is usable here; ``reason`` says why it is not."""

    kind: Kind
    usable: bool
    reason: str = ""


def spawn(bot_dir: Path, limits: Limits | None = None, *, backend: Kind, runtime: Runtime) -> Proc:
    """Start the bot in ``bot_dir`` (its ``main.py``) in a sandbox and return at once.

    Several may be started one after the other and come up side by side. PlatformError when the machine does
    not start it: that is never the bot's fault. Call it from a thread that lives as long as the sandbox: the
    sandbox dies with the thread that started it.
    """
    limits = limits or Limits()
    found, uid, group = bot_dir, -1, None
    try:
        found = runtime.bot(bot_dir)
        uid = runtime.begin(found)
        if runtime.groups is not None:
            group = runtime.groups.make(memory=limits.memory, pids=limits.pids)
        started = launch(
            _plan(backend, runtime, found, limits),
            uid=uid,
            privileged=runtime.privileged,
            cpu_limit_s=limits.cpu_s,
        )
    except (OSError, ValueError, bwrap.NoBubblewrap) as error:
        if uid >= 0:
            runtime.end(found, uid)
        if group is not None:
            group.remove()
        raise PlatformError(f"the sandbox did not start: {error}") from error
    proc = Proc(started, lambda: runtime.end(found, uid), group)
    proc.enter()
    return proc


def _plan(backend: Kind, runtime: Runtime, bot_dir: Path, limits: Limits) -> Launch:
    if backend == "bwrap":
        return bwrap.plan(runtime, bot_dir, limits)
    return landlock.plan(runtime, bot_dir, limits)


def kinds(setting: str) -> tuple[Kind, ...]:
    """The backends that a setting stands for, best first. ValueError for another word."""
    if setting == "auto":
        return KINDS
    if setting in KINDS:
        return (setting,)
    raise ValueError(f"SANDBOX_BACKEND must be auto, bwrap or landlock, not {setting!r}")
