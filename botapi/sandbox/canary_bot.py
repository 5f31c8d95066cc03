"""Tries, from inside a sandbox, what a bot must not be able to do; answers with what it could.

It is run as an uploaded bot would be. The first line of its stdin is a JSON object: ``attempt`` is ``quiet``
(everything that is refused with an error) or the name of one operation that must end the process.
"""

# mypy: ignore-errors
import ctypes
import fcntl
import json
import mmap
import os
import socket
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
PTRACE = {"x86_64": 101, "aarch64": 117}
UNSHARE = {"x86_64": 272, "aarch64": 97}
FUTEX = {"x86_64": 202, "aarch64": 98}
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


def locks(order):
    """Lock what other bots read, or see their locks: two of them could talk so."""
    refused, tried = 0, 0
    for path, mode in ((os.__file__, "rb"), (__file__, "rb"), ("/dev/null", "ab")):
        with open(path, mode) as file:
            lock = struct.pack("hhqqi4x", fcntl.F_RDLCK if mode == "rb" else fcntl.F_WRLCK, 0, 1, 1, 0)
            for attempt, *args in (
                *((fcntl.fcntl, command, lock) for command in (5, 6, 36, 37)),
                *((fcntl.fcntl, command, fcntl.F_RDLCK) for command in (1024, 1026)),
                (fcntl.flock, fcntl.LOCK_SH),
            ):
                tried += 1
                try:
                    attempt(file, *args)
                except OSError as error:
                    refused += error.errno == 1
    if refused == tried:
        raise PermissionError


def shared_futex(order):
    """Wake who waits at a page of a file that all bots have."""
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    with open(os.__file__, "rb") as file:
        page = libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_PRIVATE, file.fileno(), 0)
    if libc.syscall(FUTEX[os.uname().machine], ctypes.c_void_p(page), 1, 1, None, None, 0) < 0:
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
    locks,
    shared_futex,
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
