# expect: held
# what /proc tells of this and other processes
import os

from report import attempt, order, sysc, tries


def crime():
    paths = [f"/proc/{pid}/{name}" for pid in ("self", "1", os.getppid(), os.getpid(), order["host"])
             for name in ("environ", "cmdline", "maps", "mem", "fd", "root/etc/passwd", "status")]
    return tries(open, *((path,) for path in paths)) + tries(os.listdir, ("/proc",))


attempt(crime)
