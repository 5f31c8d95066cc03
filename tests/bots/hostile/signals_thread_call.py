# expect: held
# signal another process through the call for threads
import ctypes, os

from report import attempt, order, sysc, tries


def crime():
    done = []
    for pid in (order["host"], os.getppid(), 1):
        if sysc(234, 131, pid, pid, 0) == 0:
            done.append(pid)
        if sysc(200, 130, pid, 0) == 0:
            done.append(pid)
        if sysc(297, 240, pid, pid, 10, ctypes.c_char_p(bytes(128))) == 0:
            done.append(pid)
    return done


attempt(crime)
