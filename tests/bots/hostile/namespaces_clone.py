# expect: held
# a process in new namespaces
import ctypes, os

from report import attempt, order, sysc, tries


def crime():
    done = []
    for flag in (0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        for extra in (17, 0x10900 | 17):
            result = sysc(56, 220, flag | extra, 0, 0, 0, 0)
            if result == 0:
                os._exit(0)
            if result > 0:
                done.append(hex(flag))
    args = (ctypes.c_uint64 * 11)()
    args[0], args[4] = 0x10000000, 17
    if sysc(435, 435, args, 88) >= 0:
        done.append("clone3")
    return done


attempt(crime)
