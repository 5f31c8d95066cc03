# expect: held
# walk back to the shim and use what it holds
import sys

from report import attempt, order, sysc, tries


def crime():
    frame = sys._getframe()
    while frame.f_back:
        frame = frame.f_back
    shim = frame.f_globals
    if not {"limit", "landlock", "install"} <= shim.keys():
        raise LookupError("that is not the shim")
    done = []
    for name, call in (("limit", lambda: shim["limit"]({"CPU": 10**6})), ("landlock", lambda: shim["landlock"](["/"])), ("install", lambda: shim["install"](b"\x06\0\0\0\0\0\xff\x7f"))):
        try:
            call()
            done.append(name)
        except (OSError, ValueError):
            pass
    return done


attempt(crime)
