# expect: held
# walk back to the shim and use what it holds
import sys

from report import attempt, order, sysc, tries


def crime():
    frame = sys._getframe()
    while frame.f_back:
        frame = frame.f_back
    shim = frame.f_globals
    done = []
    for name, call in (("limit", lambda: shim["limit"]({"CPU": 10**6})), ("landlock", lambda: shim["landlock"](["/"])), ("install", lambda: shim["install"](b"\x06\0\0\0\0\0\xff\x7f"))):
        try:
            call()
            done.append(name)
        except OSError:
            pass
    return [name for name in done if name != "limit"]


attempt(crime)
