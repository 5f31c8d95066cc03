# expect: held
# a program that never was a file, and the loader as a way to run one
import ctypes
import os

from report import attempt, order, sysc, tries


def crime():
    done = []
    handle = sysc(319, 279, ctypes.c_char_p(b"x"), 0)
    if handle >= 0:
        done.append("memfd")
    program = os.open("/usr/lib/x86_64-linux-gnu/libc.so.6", os.O_RDONLY) if os.path.exists("/usr/lib/x86_64-linux-gnu/libc.so.6") else 0
    empty = ctypes.c_char_p(b"")
    if sysc(322, 281, program, empty, None, None, 0x1000) != -1:
        done.append("execveat")
    os.environ["LD_PRELOAD"] = os.path.join(os.path.dirname(__file__), "report.py")
    for loader in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"):
        done += tries(os.execv, (loader, [loader, "/bin/true"]))
    return done


attempt(crime)
