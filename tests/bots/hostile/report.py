"""What the bots of this folder share: their order, system calls by number, and the report.

Each bot's first line says what must happen: ``held`` (it reports no breach), ``forbidden`` (ended by the
filter), ``ended`` (ended somehow, or no breach), ``memory``, ``cpu``, ``silent`` (no word in time), ``flood``
(more than anybody may write), ``exited``, ``signal``.
"""

import ctypes
import json
import os
import sys

order = json.loads(sys.stdin.readline())
libc = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"


def sysc(x86, arm, *args):
    """A raw system call: its result, or -errno."""
    ctypes.set_errno(0)
    values = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    result = libc.syscall(ctypes.c_long(x86 if X86 else arm), *values)
    return result if result >= 0 else -ctypes.get_errno()


def tell(breach, detail=""):
    print(json.dumps({"breach": bool(breach), "detail": str(detail)[:300]}), flush=True)


def attempt(crime):
    """Report what ``crime`` returns: anything true is a breach, an error is none."""
    try:
        detail = crime()
    except BaseException as error:
        tell(False, repr(error))
    else:
        tell(detail, detail)


def tries(function, *sets):
    """The argument tuples for which ``function`` did not raise OSError."""
    done = []
    for args in sets:
        try:
            function(*args)
        except OSError:
            continue
        done.append(args)
    return done
