"""Tries, from inside a sandbox, what a bot must not be able to do; answers with what it could.

It is run as an uploaded bot would be. The first line of its stdin is a JSON object: ``attempt`` is ``quiet``
(everything that is refused with an error) or the name of one operation that must end the process.
"""

# mypy: ignore-errors
import ctypes
import json
import mmap
import os
import socket
import sys

libc = ctypes.CDLL(None, use_errno=True)
PTRACE = {"x86_64": 101, "aarch64": 117}
UNSHARE = {"x86_64": 272, "aarch64": 97}
ALLOWED = {
    "PATH",
    "LANG",
    "HOME",
    "PYTHONDONTWRITEBYTECODE",
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "PWD",
    "LC_CTYPE",
}


def passwd(order):
    open("/etc/passwd").read()


def secret(order):
    open(order["secret"]).read()


def environment(order):
    if set(os.environ) <= ALLOWED:
        raise PermissionError


def inet(order):
    socket.socket(socket.AF_INET)


def unix(order):
    socket.socket(socket.AF_UNIX)


def fork(order):
    if os.fork() == 0:
        os._exit(0)


def execute(order):
    os.execv("/usr/bin/true", ["true"])


def write(order):
    refused = 0
    places = ("/tmp", "/", "/dev/shm", "/var/tmp", os.path.dirname(os.path.abspath(__file__)), os.getcwd())
    for place in places:
        try:
            open(os.path.join(place, "canary-was-here"), "w")
        except OSError:
            refused += 1
    if refused == len(places):
        raise PermissionError


def importable(order):
    """Change what all bots import: the standard library and the packages beside it."""
    for place in filter(os.path.isdir, sys.path):
        for name in ("canary-was-here", *os.listdir(place)):
            path = os.path.join(place, name)
            try:
                open(os.path.join(path, "canary-was-here") if os.path.isdir(path) else path, "a")
            except OSError:
                continue
            return
    raise PermissionError


def signal_parent(order):
    os.kill(os.getppid(), 0)


def proc(order):
    open("/proc/self/environ").read()


def descriptors(order):
    for fd in range(3, 64):
        try:
            os.fstat(fd)
            return
        except OSError:
            pass
    raise PermissionError


def unfiltered(order):
    if libc.prctl(21, 0, 0, 0, 0) == 2:
        raise PermissionError


def privileges(order):
    if libc.prctl(39, 0, 0, 0, 0) == 1:
        raise PermissionError


QUIET = (
    passwd,
    secret,
    environment,
    inet,
    unix,
    fork,
    write,
    importable,
    signal_parent,
    proc,
    descriptors,
    unfiltered,
    privileges,
    execute,
)


def int80():
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(
        bytes.fromhex("53b814000000cd805bc3")
    )  # push rbx; mov eax, 20 (getpid); int 0x80; pop rbx; ret
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()


def main():
    order = json.loads(sys.stdin.readline())
    machine = os.uname().machine
    if order["attempt"] == "quiet":
        could = []
        for attempt in QUIET:
            try:
                attempt(order)
                could.append(attempt.__name__)
            except OSError:
                pass
        print(json.dumps({"tried": len(QUIET), "could": could}))
        return
    if order["attempt"] == "ptrace":
        libc.syscall(PTRACE[machine], 16, os.getppid(), 0, 0)
    elif order["attempt"] == "unshare":
        libc.syscall(UNSHARE[machine], 0x10000000)
    elif order["attempt"] == "int80":
        int80()
    print(json.dumps({"tried": 1, "could": [order["attempt"]]}))


main()
