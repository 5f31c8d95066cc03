"""Control groups: real ones where this machine gives us some, version 2 on a written tree, and the refusals."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from botapi.errors import PlatformError
from botapi.sandbox import Cause, Kind, Limits, Runtime, SandboxUnavailable
from botapi.sandbox.groups import LEAF, Group, Groups, NoGroups, find
from tests.botapi.sandbox.running import read_all, read_line, running, write_bot

HOARDER = (
    "hoard = []\nwhile len(hoard) < 24:\n    hoard.append(bytearray(b'x') * (16 << 20))\nprint('kept')\n"
)
THREADS = """
import threading
stop, count = threading.Event(), 0
try:
    while count < 60:
        threading.Thread(target=stop.wait, daemon=True).start()
        count += 1
except RuntimeError:
    pass
print(count)
"""


def _refused(why: NoGroups) -> None:
    """See that what demands groups is refused, and say what has not been proved here."""
    with pytest.raises(SandboxUnavailable, match=re.escape(str(why))):
        Runtime(require_group=True)
    warnings.warn(f"not proved here, for want of control groups: their limits ({why})", stacklevel=2)


@contextmanager
def _grouped() -> Iterator[Runtime | None]:
    """A runtime with groups, or None where the machine has none for us: then that must have been refused."""
    try:
        find()
    except NoGroups as why:
        _refused(why)
        yield None
        return
    runtime = Runtime(require_group=True)
    yield runtime
    runtime.close()


def test_a_bot_that_outgrows_its_group_is_ended_for_its_memory(kind: Kind, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", HOARDER)
    with _grouped() as runtime:
        if runtime is None:
            return
        with running(bot, kind, runtime, Limits(memory=64 << 20)) as proc:
            assert read_all(proc.stdout) == b""
            assert proc.ending().cause is Cause.MEMORY
        with running(bot, kind, runtime, Limits(memory=512 << 20)) as proc:
            assert read_line(proc) == b"kept"
        assert _left(runtime) == []


def test_a_group_bounds_threads(kind: Kind, tmp_path: Path) -> None:
    with _grouped() as runtime:
        if runtime is not None:
            with running(write_bot(tmp_path / "bot", THREADS), kind, runtime, Limits(pids=12)) as proc:
                assert int(read_line(proc)) in (10, 11)
            assert _left(runtime) == []


def test_a_group_that_cannot_be_made_is_our_failure(kind: Kind, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", HOARDER)
    runtime = Runtime()
    runtime.groups = Groups(1, tmp_path / "none", tmp_path / "none")
    with pytest.raises(PlatformError), running(bot, kind, runtime):
        pass
    runtime.close()


@pytest.mark.parametrize("pid", [0, -1])
def test_a_group_does_not_take_its_writer_for_the_bot(tmp_path: Path, pid: int) -> None:
    """The kernel reads 0 as the process that writes: the host would be bounded, and ended, with its bot."""
    group = Group((tmp_path,), tmp_path / "memory.events")
    with pytest.raises(ValueError, match="is no process"):
        group.add(pid)
    assert not (tmp_path / "cgroup.procs").exists()


def test_a_bubblewrap_that_does_not_tell_of_its_child_is_our_failure(tmp_path: Path) -> None:
    silent = tmp_path / "bwrap"
    silent.write_text(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 'bubblewrap 0.11.0' && exit\nexec /bin/sleep 60\n"
    )
    silent.chmod(0o755)
    place = Runtime()
    runtime = Runtime(place.path, bwrap=str(shutil.copy(silent, place.path / "bwrap")))
    mount = tmp_path / "groups"
    mount.mkdir()
    runtime.groups = Groups(1, mount, mount)
    with (
        pytest.raises(PlatformError, match="control group: bubblewrap did not tell of its child"),
        running(write_bot(tmp_path / "bot", HOARDER), "bwrap", runtime),
    ):
        pass
    assert not list(mount.glob("*/cgroup.procs"))
    place.close()


def _left(runtime: Runtime) -> list[Path]:
    """Groups of this process's bots; other hosts of the machine may play meanwhile."""
    assert runtime.groups is not None
    own = f"thousand-bot-{os.getpid()}-*"
    return [*runtime.groups.memory.glob(own), *runtime.groups.pids.glob(own)]


def _second_version(tmp_path: Path, controllers: str = "cpu memory pids") -> tuple[Path, Path]:
    mount, own = tmp_path / "mount", tmp_path / "own"
    (mount / "service").mkdir(parents=True)
    (mount / "cgroup.controllers").write_text("cpu memory pids")
    for name, text in (("controllers", controllers), ("procs", "11\n"), ("subtree_control", "")):
        (mount / "service" / f"cgroup.{name}").write_text(text)
    own.write_text("0::/service\n")
    return mount, own


def test_version_2_moves_its_processes_to_a_leaf_and_divides_the_rest(tmp_path: Path) -> None:
    mount, own = _second_version(tmp_path)
    groups = find(mount, own)
    assert groups.version == 2
    assert (mount / "service" / LEAF / "cgroup.procs").read_text() == "11"
    assert (mount / "service" / "cgroup.subtree_control").read_text() == "+memory +pids"
    group = groups.make(memory=1 << 28, pids=32)
    (place,) = group.places
    assert place.parent == mount / "service"
    assert {path.name: path.read_text() for path in place.iterdir()} == {
        "memory.max": str(1 << 28),
        "pids.max": "32",
    }
    group.add(77)
    assert (place / "cgroup.procs").read_text() == "77"
    assert not group.out_of_memory()
    (place / "memory.events").write_text("low 0\nmax 9\noom 1\noom_kill 1\n")
    assert group.out_of_memory()
    for path in place.iterdir():
        path.unlink()
    group.remove()
    assert not place.exists()


def test_version_2_finds_its_place_again_from_within_the_leaf(tmp_path: Path) -> None:
    mount, own = _second_version(tmp_path)
    find(mount, own)
    own.write_text(f"0::/service/{LEAF}\n")
    assert find(mount, own).memory == mount / "service"


def test_what_dead_hosts_left_is_removed(tmp_path: Path) -> None:
    mount, own = _second_version(tmp_path)
    (mount / "service" / "thousand-bot-4194305-0").mkdir()
    (mount / "service" / f"thousand-bot-{os.getpid()}-0").mkdir()
    find(mount, own)
    assert [path.name for path in (mount / "service").glob("thousand-bot-*")] == [
        f"thousand-bot-{os.getpid()}-0"
    ]


def test_what_still_runs_in_the_group_of_a_dead_host_is_ended() -> None:
    try:
        groups = find()
    except NoGroups as why:
        _refused(why)
        return
    left = subprocess.Popen(["/bin/sleep", "600"])
    places = [place / f"thousand-bot-4194305-{os.getpid()}" for place in {groups.memory, groups.pids}]
    for place in places:
        place.mkdir()
    Group(tuple(places), places[0]).add(left.pid)
    find()
    assert left.wait(10) == -signal.SIGKILL
    assert not any(place.exists() for place in places)


@pytest.mark.parametrize(
    ("controllers", "reason"),
    [
        ("cpu", "memory and pids are not delegated"),
        ("memory cpu", "pids are not delegated"),
        ("", "not delegated"),
    ],
)
def test_controllers_that_are_not_delegated_are_named(tmp_path: Path, controllers: str, reason: str) -> None:
    with pytest.raises(NoGroups, match=reason):
        find(*_second_version(tmp_path, controllers))


def test_version_1_without_its_controllers_or_its_directory_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("4:memory:/a\n")
    with pytest.raises(NoGroups, match="controllers are not there"):
        find(tmp_path, own)
    own.write_text("8:pids:/\n4:memory:/a\n")
    with pytest.raises(NoGroups, match="version 1, memory"):
        find(tmp_path / "nowhere", own)
    with pytest.raises(NoGroups, match="tells of no control groups"):
        find(tmp_path, tmp_path / "none")


def test_version_1_writes_both_hierarchies(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("8:pids:/elsewhere\n4:memory:/a\n")
    for place in (tmp_path / "memory" / "a", tmp_path / "pids"):
        place.mkdir(parents=True)
        (place / "cgroup.procs").write_text("")
    group = find(tmp_path, own).make(memory=1000, pids=3)
    assert [place.parent for place in group.places] == [tmp_path / "memory" / "a", tmp_path / "pids"]
    assert (group.places[0] / "memory.limit_in_bytes").read_text() == "1000"
    assert (group.places[1] / "pids.max").read_text() == "3"
    shutil.rmtree(tmp_path / "pids")
