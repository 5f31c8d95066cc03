"""What the bots of this folder share: the conversation up to their first decision, calls by number, the report.

Importing this answers ``hello`` and takes the first ``act``. A bot's first line says what must come of that
decision: ``held`` (answered, and no breach reported), ``timeout``, ``bad_reply``, ``illegal``, ``start X`` (it
never got so far, because of X), or how it must end: ``exited``, ``memory``, ``cpu``, ``signal``, ``forbidden`` (by the
filter), ``closed``, ``flood``. Several are parted by ``or``; ``x 9`` means: nine decisions, all of them so.
"""

import ctypes
import json
import os
import sys

_hello = json.loads(sys.stdin.readline())
print(json.dumps({"v": 1, "id": _hello["id"], "ready": True}), flush=True)
order = _hello["order"]
libc = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"
request = {}


def next_request():
    """Take the next decision; ends the bot when there is none."""
    request.clear()
    while request.get("type") != "act":
        line = sys.stdin.readline()
        if not line:
            os._exit(0)
        request.update(json.loads(line))


def sysc(x86, arm, *args):
    """A raw system call: its result, or -errno."""
    ctypes.set_errno(0)
    values = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    result = libc.syscall(ctypes.c_long(x86 if X86 else arm), *values)
    return result if result >= 0 else -ctypes.get_errno()


def reply(**extra):
    """The bytes of a right answer."""
    return json.dumps({"id": request["id"], "action": request["legal"][0]} | extra).encode() + b"\n"


def tell(breach, detail=""):
    """Answer, and report."""
    print(reply(log=json.dumps({"breach": bool(breach), "detail": str(detail)[:300]})).decode(), end="", flush=True)


def attempt(crime):
    """Report what ``crime`` returns, decision after decision: anything true is a breach, a refusal is none.

    Any other error is the bot's own mistake, and proves nothing: it ends it, which nobody expects.
    """
    while True:
        try:
            detail = crime()
        except (OSError, MemoryError, RuntimeError) as error:
            tell(False, repr(error))
        else:
            tell(detail, detail)
        next_request()


def tries(function, *sets):
    """The argument tuples for which ``function`` was not refused (``setrlimit`` says so with ValueError)."""
    done = []
    for args in sets:
        try:
            function(*args)
        except (OSError, ValueError):
            continue
        done.append(args)
    return done


next_request()
