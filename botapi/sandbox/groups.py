"""Control groups: the real limits of memory and processes, where the machine has some for us (sandbox.md 9).

Version 2 must be delegated to this process (systemd ``Delegate=yes``, a container's own writable tree);
version 1 needs write access to its own place in the memory and pids hierarchies. One group a bot.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MOUNT: Final = Path("/sys/fs/cgroup")
OWN: Final = Path("/proc/self/cgroup")
LEAF: Final = "thousand-host"
_PREFIX: Final = "thousand-bot-"
_NEEDED: Final = ("memory", "pids")
_REMOVE_S: Final = 1.0


class NoGroups(Exception):  # noqa: N818 - a state of the machine
    """No control group can be made here; the text says why."""


@dataclass(slots=True)
class Group:
    """One bot's group: a directory for each hierarchy (one in version 2)."""

    places: tuple[Path, ...]
    events: Path
    """The file that counts how often the group ran out of memory."""

    def add(self, pid: int) -> None:
        """Put a process into it, before it has children. ValueError for 0, which the kernel takes for the writer."""
        if pid <= 0:
            raise ValueError(f"{pid} is no process")
        for place in self.places:
            (place / "cgroup.procs").write_text(str(pid))

    def out_of_memory(self) -> bool:
        """Whether the kernel has ended a process of the group for want of memory."""
        with contextlib.suppress(OSError, ValueError):
            for line in self.events.read_text().splitlines():
                name, _, count = line.partition(" ")
                if name == "oom_kill":
                    return int(count) > 0
        return False

    def remove(self) -> None:
        """End what is still in it and remove it; the kernel needs a moment after the last process."""
        for place in self.places:
            _end_all(place)
            until = time.monotonic() + _REMOVE_S
            while place.is_dir():
                try:
                    place.rmdir()
                except OSError:
                    if time.monotonic() > until:
                        break
                    time.sleep(0.001)
                    _end_all(place)


@dataclass(slots=True)
class Groups:
    """Where groups are made: ``memory`` and ``pids`` are one directory in version 2."""

    version: int
    memory: Path
    pids: Path
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def make(self, *, memory: int, pids: int) -> Group:
        """A new group limited to ``memory`` bytes, without swap, and ``pids`` threads. OSError if refused."""
        name = f"{_PREFIX}{os.getpid()}-{next(self._numbers)}"
        places = tuple(dict.fromkeys((self.memory / name, self.pids / name)))
        group = Group(places, places[0] / ("memory.events" if self.version == 2 else "memory.oom_control"))
        try:
            for place in places:
                place.mkdir()
            if self.version == 2:
                _write(places[0] / "memory.max", memory)
                _write(places[0] / "memory.swap.max", 0, optional=True)
                _write(places[0] / "memory.oom.group", 1, optional=True)
            else:
                _write(places[0] / "memory.limit_in_bytes", memory)
                _write(places[0] / "memory.memsw.limit_in_bytes", memory, optional=True)
            _write(places[-1] / "pids.max", pids)
        except OSError:
            group.remove()
            raise
        return group

    def sweep(self) -> None:
        """Remove what dead hosts left: groups named after them, and whatever still runs there."""
        for place in {self.memory, self.pids}:
            for found in place.glob(_PREFIX + "*"):
                if not Path(f"/proc/{found.name.removeprefix(_PREFIX).partition('-')[0]}").exists():
                    Group((found,), found).remove()


def find(mount: Path = MOUNT, own: Path = OWN) -> Groups:
    """The groups that this process may make. NoGroups says why there are none."""
    try:
        lines = [line.split(":", 2) for line in own.read_text().splitlines()]
    except OSError as error:
        raise NoGroups(f"this system tells of no control groups: {error.strerror}") from error
    if (mount / "cgroup.controllers").exists():
        paths = [path for number, _, path in lines if number == "0"]
        return _second(_place(mount, paths[0] if paths else "/"))
    found = {name: path for _, names, path in lines for name in names.split(",") if name in _NEEDED}
    if set(found) != set(_NEEDED):
        raise NoGroups("the memory and pids controllers are not there")
    places = {name: _place(mount / name, found[name]) for name in _NEEDED}
    for name, place in places.items():
        if not (place / "cgroup.procs").exists() or not os.access(place, os.W_OK):
            raise NoGroups(
                f"no group may be made in {place} (version 1, {name}): give this user the directory"
            )
    groups = Groups(1, places["memory"], places["pids"])
    groups.sweep()
    return groups


def _place(mount: Path, path: str) -> Path:
    """A group's directory; in a container the mount itself is where its own tree begins."""
    place = mount / path.strip("/")
    return place if place.is_dir() else mount


def _second(own: Path) -> Groups:
    """Version 2: only leaves hold processes, so this one moves to a leaf of its own, beside its bots."""
    root = own.parent if own.name == LEAF else own
    controllers = (root / "cgroup.controllers").read_text().split()
    missing = [name for name in _NEEDED if name not in controllers]
    if missing:
        raise NoGroups(f"the controllers {' and '.join(missing)} are not delegated to {root}")
    if not os.access(root, os.W_OK) or not os.access(root / "cgroup.procs", os.W_OK):
        raise NoGroups(f"{root} is not delegated to this user (systemd: Delegate=yes)")
    try:
        leaf = root / LEAF
        leaf.mkdir(exist_ok=True)
        for pid in (root / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                (leaf / "cgroup.procs").write_text(pid)
        (root / "cgroup.subtree_control").write_text("+memory +pids")
    except OSError as error:
        raise NoGroups(f"{root} cannot be divided: {error.strerror}") from error
    groups = Groups(2, root, root)
    groups.sweep()
    return groups


def _end_all(place: Path) -> None:
    """Kill every process of a group: at once in version 2, one by one in version 1."""
    with contextlib.suppress(OSError):
        if (place / "cgroup.kill").exists():
            (place / "cgroup.kill").write_text("1")
            return
        for pid in map(int, (place / "cgroup.procs").read_text().split()):
            if pid > 1:  # 0 is a process of another pid namespace
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _write(path: Path, value: int, *, optional: bool = False) -> None:
    if optional and not path.exists():
        return
    path.write_text(str(value))
