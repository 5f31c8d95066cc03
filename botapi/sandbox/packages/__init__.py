"""Packages for bots: found where they were built, named by what is in them, read-only (sandbox.md section 10).

``python -m botapi.sandbox.packages.build`` makes them. Bots see them at the end of ``sys.path`` and never run
an installer; without them they have the standard library alone.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from botapi.sandbox.interpreter import Interpreter

LOCK: Final = Path(__file__).with_name("bots.txt")
"""The hash-locked list; ``requirements/bots.txt`` is a link to it."""
INSIDE: Final = "/opt/botenv"
"""Where bots see them in a backend that has a file system of its own."""


@dataclass(frozen=True, slots=True)
class Packages:
    """What bots may import besides the standard library: a directory and the versions in it, by name.

    ``path`` is None where there is nothing, and ``reason`` says why.
    """

    path: Path | None
    versions: dict[str, str] = field(default_factory=dict)
    reason: str = ""

    @property
    def name(self) -> str:
        """``bots-HASH``, empty without packages."""
        return self.path.name if self.path else ""


def name_for(interpreter: Interpreter) -> str:
    """``bots-HASH``: a name stands for one list, one Python and one machine, so for the same packages always."""
    python = ".".join(interpreter.version.split(".")[:2])
    told = (LOCK.read_text(encoding="utf-8"), python, os.uname().machine)
    return "bots-" + hashlib.sha256("\0".join(told).encode()).hexdigest()[:16]


def find(place: Path | None, interpreter: Interpreter) -> Packages:
    """The built packages in ``place``; with a reason instead of a path when there are none to use."""
    if place is None:
        return Packages(None, reason="switched off")
    name = name_for(interpreter)
    path = place.resolve() / name
    try:
        info = path.lstat()
    except OSError:
        return Packages(None, reason=f"{name} has not been built")
    if not stat.S_ISDIR(info.st_mode) or info.st_mode & 0o222 or info.st_uid not in {0, os.geteuid()}:
        return Packages(None, reason=f"{name} is not a read-only directory of root's or of the worker's user")
    return Packages(path, _versions(path))


def _versions(path: Path) -> dict[str, str]:
    found = (entry.name.removesuffix(".dist-info") for entry in sorted(path.glob("*.dist-info")))
    return {name: version for name, _, version in (text.rpartition("-") for text in found)}
