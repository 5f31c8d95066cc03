"""Backend ``landlock``: no namespaces, the kernel's own access rules instead (sandbox.md section 4).

Weaker than ``bwrap``, which is why it comes second: the rules do not govern ``stat``. A bot can see which paths
exist (``/proc/PID`` among them, and how many threads and open files a process has) and when files were read
last, so two bots that conspire can pass each other bits. Neither can learn from it what a third one holds.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from botapi.sandbox.interpreter import without_hidden
from botapi.sandbox.launch import ENVIRONMENT, Ends, Launch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from botapi.sandbox.limits import Limits
    from botapi.sandbox.runtime import Runtime

OLDEST_ABI: Final = 3
"""Linux 6.2: the first that also governs truncation."""
_CREATE_RULESET: Final = 444
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/urandom")


def refusal() -> str:
    """Why this kernel cannot carry the backend; empty when it can."""
    libc = ctypes.CDLL(None, use_errno=True)
    abi = libc.syscall(ctypes.c_long(_CREATE_RULESET), None, ctypes.c_long(0), ctypes.c_long(1))
    if abi >= OLDEST_ABI:
        return ""
    release = os.uname().release
    if abi < 0 and ctypes.get_errno() == errno.EOPNOTSUPP:
        return f"Landlock is built into kernel {release} but not in `lsm=`"
    if abi < 0 and ctypes.get_errno() == errno.EPERM:
        return "Landlock is refused here (EPERM: a container's seccomp profile)"
    return f"kernel {release} has no Landlock that is recent enough (need 6.2+)"


def plan(runtime: Runtime, bot_dir: Path, limits: Limits) -> Launch:
    """How to start ``bot_dir``."""
    packages = [str(runtime.packages.path)] if runtime.packages.path else []
    readable = [*without_hidden(runtime.interpreter), *_DEVICES, str(bot_dir), *packages]
    rlimits = limits.rlimits(
        grouped=runtime.groups is not None,
        packages=bool(packages),
        others=0 if runtime.privileged else threads_of(os.getuid()),
    )

    if runtime.groups and not runtime.privileged:
        # the group bounds threads; this limit counts all of the user's, so bots would notice each other's
        del rlimits["NPROC"]

    def argv(ends: Ends) -> Sequence[str]:
        config = {
            "main": str(bot_dir / "main.py"),
            "filter": str(runtime.inner),
            "status": ends.status,
            "parent": os.getpid(),
            "gate": ends.gate,
            "limits": rlimits,
            "nice": limits.nice,
            "landlock": readable,
            "packages": packages,
        }
        return [runtime.interpreter.executable, "-I", "-S", "-B", str(runtime.shim), json.dumps(config)]

    return Launch(argv, dict(ENVIRONMENT), gated=runtime.groups is not None)


def threads_of(uid: int) -> int:
    """How many threads the user has now: without a user namespace the kernel counts them all together."""
    count = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == uid:
                    count += len(os.listdir(f"/proc/{entry.name}/task"))
            except OSError:
                continue
    return count
