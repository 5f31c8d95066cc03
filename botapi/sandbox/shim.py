"""Runs inside the sandbox, puts on its last restrictions, then becomes the bot (sandbox.md section 4).

Started as ``python3 -I -S -B shim.py CONFIG`` with CONFIG a JSON object: without the machine's own packages, of
which a bot gets none. It is copied out of the package and imports the standard library only. Order matters:
everything is read and imported first; after the filter is on, the byte ``R`` on the status descriptor tells the
host that from here on whatever happens is the bot's own doing. Any failure before that writes ``F`` and its
reason there and exits 97: a fault of the sandbox, never of the bot.
"""

# mypy: ignore-errors
from __future__ import annotations

import ctypes
import json
import os
import resource
import site
import struct
import sys

FAILED = 97
OUT_OF_MEMORY = 96
OWN_PID = 0x7A7A7A7A
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_GET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 21, 38
SECCOMP = {"x86_64": 317, "aarch64": 277}
LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
ARENA_MAX = -8  # glibc would reserve 64 MiB of the address space for each thread
READ_FILE, READ_DIR, WRITE_FILE = 1 << 2, 1 << 3, 1 << 1

_libc = ctypes.CDLL(None, use_errno=True)


def _call(what, result):
    if result < 0:
        raise OSError(ctypes.get_errno(), what)
    return result


def _prctl(option, *args):
    values = [ctypes.c_ulong(arg) for arg in (*args, 0, 0, 0, 0)[:4]]
    return _call(f"prctl {option}", _libc.prctl(option, *values))


def _syscall(what, number, *args):
    values = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    return _call(what, _libc.syscall(ctypes.c_long(number), *values))


def limit(limits):
    """Set resource limits, never above what is already set."""
    for name, value in limits.items():
        which = getattr(resource, "RLIMIT_" + name)
        hard = resource.getrlimit(which)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)  # noqa: PLW2901
        # the soft CPU limit sends SIGXCPU, which says what happened; the hard one, a second later, SIGKILL
        soft = max(value - 1, 1) if name == "CPU" else value
        resource.setrlimit(which, (soft, value))


def landlock(readable):
    """Take away every right on files, ports and others' sockets and signals but reading ``readable``."""
    abi = _syscall("landlock version", LANDLOCK_CREATE, None, 0, 1)
    if abi < 3:
        raise OSError(f"Landlock ABI {abi} is too old")
    rights = (1 << 13) - 1 | 1 << 13 | 1 << 14 | (1 << 15 if abi >= 5 else 0)
    attr = struct.pack("=Q", rights)
    if abi >= 4:
        attr += struct.pack("=Q", 3)
    if abi >= 6:
        attr += struct.pack("=Q", 3)
    ruleset = _syscall("landlock ruleset", LANDLOCK_CREATE, attr, len(attr), 0)
    for path in readable:
        try:
            beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        allowed = READ_FILE | READ_DIR if os.path.isdir(path) else READ_FILE
        if path == "/dev/null":
            allowed |= WRITE_FILE
        rule = struct.pack("=Qi", allowed, beneath)
        _syscall(f"landlock rule for {path}", LANDLOCK_ADD, ruleset, 1, rule, 0)
        os.close(beneath)
    _syscall("landlock restrict", LANDLOCK_RESTRICT, ruleset, 0)
    os.close(ruleset)


def own(program):
    """The filter with this process's id where it stands for it."""
    out, own_pid, found = bytearray(program), os.getpid(), 0
    for at in range(4, len(out), 8):
        if struct.unpack_from("=I", out, at)[0] == OWN_PID:
            struct.pack_into("=I", out, at, own_pid)
            found += 1
    if not found or len(out) % 8:
        raise ValueError("the filter is damaged")
    return bytes(out)


def install(program):
    """Put the filter on all threads, and see that it is on."""
    code = ctypes.create_string_buffer(program, len(program))
    fprog = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _syscall("seccomp", SECCOMP[os.uname().machine], 1, 1, fprog)
    if _prctl(PR_GET_SECCOMP) != 2:
        raise OSError("the filter is not on")


def restrict(config, status):
    """Everything between the start and the bot's first line. Returns the bot's source."""
    with open(config["main"], "rb") as file:
        source = file.read()
    with open(config["filter"], "rb") as file:
        program = own(file.read())
    if config["gate"] >= 0 and not os.read(config["gate"], 1):
        raise OSError("the host is gone")
    if config["parent"]:
        _prctl(PR_SET_PDEATHSIG, 9)
        if os.getppid() != config["parent"]:
            raise OSError("the host is gone")
    if hasattr(_libc, "mallopt"):
        _libc.mallopt(ARENA_MAX, 2)
    os.nice(config["nice"])
    limit(config["limits"])
    os.closerange(3, status)
    os.closerange(status + 1, 1 << 16)
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    _prctl(PR_SET_DUMPABLE, 0)
    if config["landlock"]:
        landlock(config["landlock"])
    install(program)
    os.write(status, b"R")
    os.close(status)
    return source


def become(source, config):
    """Run the bot as ``__main__``; its traceback begins at its own first line."""
    main = type(sys)("__main__")
    path = config["main"]
    main.__file__ = path
    main.__builtins__ = __builtins__
    sys.modules["__main__"] = main
    sys.argv = [path]
    sys.path += [*config["packages"], os.path.dirname(path)]
    for given in (site.setquit, site.setcopyright, site.sethelper):  # what ``exit`` and its like come from
        given()
    sys.stdout.reconfigure(line_buffering=True)
    try:
        exec(compile(source, path, "exec", dont_inherit=True), main.__dict__)  # noqa: S102 - the bot
    except MemoryError as error:
        error.__traceback__ = None
        os.write(2, b"MemoryError\n")
        os._exit(OUT_OF_MEMORY)
    except Exception as error:  # noqa: BLE001 - the bot's own, whatever it is
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        sys.exit(1)


def start():
    """Restrict, report, become the bot."""
    config = json.loads(sys.argv[1])
    status = config["status"]
    try:
        source = restrict(config, status)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the bot must not run
        try:
            os.write(status, f"F{type(error).__name__}: {error}".encode()[:500])
        finally:
            os._exit(FAILED)
    become(source, config)


start()
