"""Starting a bot from its source, and reading what it writes, for the tests of the sandbox."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from botapi.sandbox import Kind, Limits, Proc, Runtime, spawn


def write_bot(place: Path, source: str, **others: str) -> Path:
    """A directory with a bot, as unpacked uploads look."""
    place.mkdir(parents=True)
    (place / "main.py").write_text(source)
    for name, text in others.items():
        (place / name.replace("__", ".")).write_text(text)
    for path in place.iterdir():
        path.chmod(0o444)
    place.chmod(0o555)
    return place


@contextmanager
def running(bot: Path, kind: Kind, runtime: Runtime, limits: Limits | None = None) -> Iterator[Proc]:
    """A started bot, ended at the end."""
    proc = spawn(bot, limits, backend=kind, runtime=runtime)
    try:
        yield proc
    finally:
        proc.close()


def read_all(descriptor: int, *, until: bytes = b"", wait_s: float = 20) -> bytes:
    """Everything up to the end, or to ``until``."""
    text, deadline = b"", time.monotonic() + wait_s
    while not (until and until in text):
        if not select.select([descriptor], [], [], max(0, deadline - time.monotonic()))[0]:
            raise TimeoutError(f"only {text!r} came")
        chunk = os.read(descriptor, 65536)
        if not chunk:
            break
        text += chunk
    return text


def read_line(proc: Proc) -> bytes:
    """The next line of its stdout."""
    return read_all(proc.stdout, until=b"\n").partition(b"\n")[0]


def state(pid: int) -> str:
    """The state letter of a process, empty when there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def wait_until(what: object, *, wait_s: float = 5) -> bool:
    """Whether the callable ``what`` comes true in time."""
    assert callable(what)
    deadline = time.monotonic() + wait_s
    while not what():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True
