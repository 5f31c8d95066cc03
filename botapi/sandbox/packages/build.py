"""Build the packages for bots: ``python -m botapi.sandbox.packages.build`` (sandbox.md section 10).

Installs what ``requirements/bots.txt`` names, by its hashes and from ready-made wheels alone, for the bots'
Python into ``DIRECTORY/bots-HASH``, compiles it and takes away every right to write. Nothing of the service
is in it. What is already there stays as it is.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from botapi.errors import PlatformError
from botapi.sandbox.interpreter import DEFAULT_PYTHON, examine
from botapi.sandbox.packages import INSIDE, LOCK, find, name_for
from botapi.sandbox.places import packages_directory, runtime_directory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from botapi.sandbox.interpreter import Interpreter
    from botapi.sandbox.packages import Packages

BUILD_S: Final = 900
_UNFINISHED: Final = ".building-"
_FAILED: Final = "packages for bots could not be built: "


def build(place: Path, interpreter: Interpreter) -> Packages:
    """The packages in ``place``, built there if they are not yet. PlatformError says why it went wrong."""
    found = find(place, interpreter)
    if found.path:
        return found
    try:
        place.mkdir(mode=0o755, parents=True, exist_ok=True)
        with (place / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for left in place.glob(_UNFINISHED + "*"):
                _remove(left)
            if not find(place, interpreter).path:
                work = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=place))
                try:
                    _fill(work, interpreter)
                    os.rename(work, place / name_for(interpreter))
                finally:
                    _remove(work)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PlatformError(f"{_FAILED}{error}") from error
    found = find(place, interpreter)
    if not found.path:
        raise PlatformError(f"{_FAILED}{found.reason}")
    return found


def _fill(work: Path, interpreter: Interpreter) -> None:
    """Install, compile, take away every right to write."""
    installer = (sys.executable, "-m", "pip", "--python", interpreter.executable)
    told = "--disable-pip-version-check --no-input --quiet --retries 1"
    chosen = "--require-hashes --only-binary :all: --no-compile --target"
    _run(*installer, "install", *told.split(), *chosen.split(), str(work), "-r", str(LOCK))
    shutil.rmtree(work / "bin", ignore_errors=True)
    names = ("--invalidation-mode", "unchecked-hash", "-s", str(work), "-p", INSIDE)
    _run(interpreter.executable, "-I", "-m", "compileall", "-q", *names, str(work))
    for folder, _, files in os.walk(work):
        for file in files:
            os.chmod(os.path.join(folder, file), 0o444)
        os.chmod(folder, 0o555)  # noqa: S103 - to be read by every sandbox's user


def _run(*argv: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=BUILD_S,
        env=environment,
        umask=0o022,
    )
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        told = [line for line in lines if line.startswith("ERROR:")] or lines or ["no word from it"]
        raise PlatformError(f"{_FAILED}{told[-1].removeprefix('ERROR: ')}")


def _remove(path: Path) -> None:
    for folder, _, _ in os.walk(path):
        os.chmod(folder, 0o700)
    shutil.rmtree(path, ignore_errors=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Build them and print where they are; 1 with a sentence on stderr when that is not possible."""
    environ = os.environ
    parser = argparse.ArgumentParser(prog="botapi.sandbox.packages.build", description=__doc__)
    parser.add_argument("--python", default=environ.get("SANDBOX_PYTHON") or DEFAULT_PYTHON)
    parser.add_argument("--into", default=environ.get("SANDBOX_PACKAGES", ""), metavar="DIRECTORY")
    options = parser.parse_args(argv)
    place = packages_directory(options.into, environ.get("SANDBOX_RUNTIME", ""))
    if place is None:
        return 0
    try:
        if not options.into:
            runtime_directory(environ.get("SANDBOX_RUNTIME", ""))
        interpreter = examine(options.python)
        if not find(place, interpreter).path:
            print("Installing packages for bots, once ...", file=sys.stderr)
        print(build(place, interpreter).path)
    except (PlatformError, OSError, ValueError) as error:
        told = str(error).removeprefix(_FAILED)
        print(f"{_FAILED}{told}.\nBots have the standard library alone until this succeeds:", file=sys.stderr)
        print("    python -m botapi.sandbox.packages.build", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
