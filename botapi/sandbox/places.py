"""Directories of this machine that sandboxes share: where they are, and who may own them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

from botapi.errors import PlatformError

OFF: Final = "off"
"""The value of SANDBOX_PACKAGES for a service whose bots have the standard library alone."""


def runtime_directory(setting: str) -> Path:
    """The directory of hosts and unpacked bots: SANDBOX_RUNTIME, else a temporary one of this user.

    Made when missing. Mode 0711: users of sandboxes may pass, not look around. PlatformError when it cannot
    be made or is somebody else's.
    """
    made = _runtime(setting)
    try:
        made.mkdir(mode=0o711, parents=True, exist_ok=True)
    except OSError as error:
        raise PlatformError(f"the runtime directory {made} cannot be made: {error}") from error
    if made.is_symlink() or made.stat().st_uid != os.geteuid():
        raise PlatformError(f"the runtime directory {made} belongs to somebody else; set SANDBOX_RUNTIME")
    made.chmod(0o711)
    return made


def packages_directory(setting: str, runtime: str) -> Path | None:
    """Where the bots' packages are built and looked for, by SANDBOX_PACKAGES and SANDBOX_RUNTIME.

    None when they are switched off. The directory need not be there.
    """
    if setting == OFF:
        return None
    return Path(setting).absolute() if setting else _runtime(runtime) / "packages"


def _runtime(setting: str) -> Path:
    return Path(setting or Path(tempfile.gettempdir()) / f"thousand-runtime-{os.geteuid()}").absolute()
