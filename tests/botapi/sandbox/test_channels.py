"""Two bots in two sandboxes cannot pass each other a bit, by ways that are known to work without the filter.

Two seats of one table that could would tell each other their hands. Each way is tried twice: in a real sandbox,
where nothing may arrive, and in one without its filter, where the bit must arrive, or the way is none.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from botapi.sandbox import Kind, Runtime
from tests.botapi.sandbox.running import read_line, running, write_bot
from tests.botapi.sandbox.weakened import weaken

BOTH, WITHOUT_PIDS = ("bwrap", "landlock"), ("landlock",)
OPENED = "import ctypes, fcntl, os, struct\nfile = open(os.__file__, 'rb')\n"
RECORD = "struct.pack('hhqqi4x', {kind}, 0, 17, 1, 0)"
MAPPED = (
    "import mmap, threading, time\n"
    "page = mmap.mmap(file.fileno(), 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)\n"
    "libc = ctypes.CDLL(None)\n"
    "libc.mmap.restype = ctypes.c_void_p\n"
    "libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]\n"
    "address = libc.mmap(None, 4096, 1, 2, file.fileno(), 0)\n"
    "word = ctypes.c_int.from_address(address).value\n"
    "number = {'x86_64': 202, 'aarch64': 98}[os.uname().machine]\n"
    "def futex(operation, value):\n"
    "    return libc.syscall(number, ctypes.c_void_p(address), operation, value, None, None, 0)\n"
)

WAYS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "record locks": (
        f"fcntl.fcntl(file, fcntl.F_SETLK, {RECORD.format(kind='fcntl.F_RDLCK')})",
        (
            f"answer = fcntl.fcntl(file, fcntl.F_GETLK, {RECORD.format(kind='fcntl.F_WRLCK')})\n"
            "heard = struct.unpack('hhqqi4x', answer)[0] != fcntl.F_UNLCK"
        ),
        BOTH,
    ),
    "locks of open files": (
        f"fcntl.fcntl(file, 37, {RECORD.format(kind='fcntl.F_RDLCK')})",
        (
            f"answer = fcntl.fcntl(file, 36, {RECORD.format(kind='fcntl.F_WRLCK')})\n"
            "heard = struct.unpack('hhqqi4x', answer)[0] != fcntl.F_UNLCK"
        ),
        BOTH,
    ),
    "flock": (
        "fcntl.flock(file, fcntl.LOCK_EX)",
        (
            "heard = False\n"
            "try:\n    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
            "except BlockingIOError:\n    heard = True"
        ),
        BOTH,
    ),
    "a futex in a file's page": (
        f"{MAPPED}threading.Thread(target=lambda: [futex(0, word) for _ in range(10**6)], daemon=True).start()",
        (
            f"{MAPPED}until = time.monotonic() + 2\n"
            "while not (heard := futex(1, 1) > 0) and time.monotonic() < until:\n    time.sleep(0.01)"
        ),
        BOTH,
    ),
    "whether a thread is there": (
        (
            "import threading\n"
            "for _ in range(5):\n    threading.Thread(target=threading.Event().wait, daemon=True).start()"
        ),
        # a little above the sender's own number; the receiver was started before it
        (
            "heard = 0\n"
            "for pid in range(order + 1, order + 4000):\n"
            "    try:\n        heard += os.getsid(pid) == order\n"
            "    except OSError as error:\n"
            "        if error.errno != 3:\n            raise\n"
            "heard = heard > 3"
        ),
        WITHOUT_PIDS,
    ),
    "another's processor time": (
        "import time\nwhile time.process_time() < 0.6:\n    pass",
        "import time\nheard = time.clock_gettime(~order << 3 | 2) > 0.55",
        WITHOUT_PIDS,
    ),
}

SENDER = """
import sys
{opened}
if sys.stdin.readline() == "1\\n":
    try:
        {act}
    except OSError:
        pass
print("sent", flush=True)
sys.stdin.readline()
"""
RECEIVER = """
import sys
{opened}
print("here", flush=True)
order = int(sys.stdin.readline())
try:
    {act}
except OSError as error:
    heard = f"refused: {{error.errno}}"
print(heard, flush=True)
sys.stdin.readline()
"""


def _source(template: str, act: str) -> str:
    indent = " " * (8 if template is SENDER else 4)
    return template.format(opened=OPENED, act=act.replace("\n", "\n" + indent))


def _heard(way: str, kind: Kind, runtime: Runtime, place: Path) -> list[str]:
    """What the receiver says when the sender sends 0, and when it sends 1."""
    send, receive, _ = WAYS[way]
    sender = write_bot(place / "sender", _source(SENDER, send))
    receiver = write_bot(place / "receiver", _source(RECEIVER, receive))
    heard = []
    for bit in (b"0\n", b"1\n"):
        with running(receiver, kind, runtime) as ear, running(sender, kind, runtime) as mouth:
            read_line(ear)
            os.write(mouth.stdin, bit)
            assert read_line(mouth) == b"sent"
            os.write(ear.stdin, b"%d\n" % mouth.pid)
            heard.append(read_line(ear).decode())
    return heard


@pytest.mark.parametrize("way", WAYS)
def test_no_bit_passes_between_two_sandboxes(way: str, kind: Kind, runtime: Runtime, tmp_path: Path) -> None:
    nothing, bit = _heard(way, kind, runtime, tmp_path)
    assert nothing == bit, json.dumps([nothing, bit])


@pytest.mark.parametrize("way", WAYS)
def test_without_the_filter_the_same_bit_arrives(way: str, kind: Kind, tmp_path: Path) -> None:
    if kind not in WAYS[way][2]:
        return
    open_one = weaken(Runtime())
    try:
        assert _heard(way, kind, open_one, tmp_path) == ["False", "True"]
    finally:
        open_one.close()
