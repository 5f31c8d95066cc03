"""The Python that bots run on, and which files it needs (sandbox.md sections 1 and 3)."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

DEFAULT_PYTHON: Final = "/usr/bin/python3"
_ASK: Final = (
    "import json, os, sys, sysconfig; v = sysconfig.get_config_var; "
    "print(json.dumps([os.path.realpath(sys.executable), os.path.realpath(sysconfig.get_path('stdlib')), "
    "os.path.join(sys.base_prefix, 'lib'), v('LDLIBRARY') or '', '.'.join(map(str, sys.version_info[:3]))]))"
)
_SYSTEM: Final = ("/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/libx32", "/usr/share/zoneinfo")
_ETC: Final = ("/etc/ld.so.cache", "/etc/alternatives")
_MERGED: Final = ("/lib", "/lib64", "/lib32", "/libx32")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python and what it reads.

    ``readable`` lists files and directories, none of which holds anything of this service: the system's
    libraries, and for a Python elsewhere its own files without its ``site-packages``. ``links`` are
    symbolic links of the root directory (``/lib`` to ``usr/lib``).
    """

    executable: str
    version: str
    readable: tuple[str, ...]
    hidden: tuple[str, ...]
    links: tuple[tuple[str, str], ...]


def examine(python: str) -> Interpreter:
    """Ask ``python`` where it lives. OSError or ValueError say why it cannot be used."""
    if not os.path.isabs(python):
        raise ValueError(f"the path of the bots' Python must be absolute: {python!r}")
    answer = subprocess.run(
        [python, "-I", "-S", "-B", "-c", _ASK],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=20,
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        cwd="/",
    )
    if answer.returncode:
        raise ValueError(f"{python} does not run: {answer.stderr.decode('utf-8', 'replace').strip()[-200:]}")
    executable, stdlib, libdir, library, version = json.loads(answer.stdout)
    if tuple(map(int, version.split("."))) < (3, 9):
        raise ValueError(f"{python} is Python {version}; bots need 3.9 or later")
    readable = [path for path in (*_SYSTEM, *_ETC) if os.path.exists(path)]
    links = []
    for path in _MERGED:
        if os.path.islink(path):
            links.append((os.readlink(path), path))
        elif os.path.isdir(path):
            readable.append(path)
    own, hidden = _own_files(executable, stdlib, libdir, library)
    readable += [path for path in own if not _beneath(path, readable)]
    return Interpreter(executable, version, tuple(readable), tuple(hidden), tuple(links))


def _own_files(executable: str, stdlib: str, libdir: str, library: str) -> tuple[list[str], list[str]]:
    """A Python's own files and, within them, what bots shall not see."""
    own = [executable, stdlib]
    shared = os.path.join(libdir, library)
    if library.endswith((".so", ".dylib")) and os.path.exists(shared):
        own += sorted({shared, *(str(path) for path in Path(libdir).glob(library + ".*"))})
    packages = os.path.join(stdlib, "site-packages")
    return own, [packages] if os.path.isdir(packages) else []


def _beneath(path: str, roots: list[str]) -> bool:
    return any(path == root or path.startswith(root + "/") for root in roots)


def without_hidden(interpreter: Interpreter) -> list[str]:
    """``readable`` with the hidden directories cut out: for a mechanism that can only allow."""
    return [part for path in interpreter.readable for part in _parts(path, interpreter.hidden)]


def _parts(path: str, hidden: tuple[str, ...]) -> list[str]:
    """``path``, or as few paths below it as leave ``hidden`` out."""
    if path in hidden:
        return []
    if not any(place.startswith(path + "/") for place in hidden):
        return [path]
    return [part for entry in os.scandir(path) for part in _parts(entry.path, hidden)]
