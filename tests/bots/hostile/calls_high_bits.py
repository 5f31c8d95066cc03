# expect: held
# the same calls with bits set that the filter might see and the kernel not, or the other way round
import ctypes

from report import attempt, libc, order, sysc, tries


def crime():
    done = []
    high = 1 << 32
    # prctl(PR_SET_DUMPABLE), socketpair(AF_INET), socketpair(AF_UNIX, SOCK_DGRAM), fcntl(F_SETOWN), fcntl(F_SETPIPE_SZ)
    for name, x86, arm, args in (("prctl", 157, 167, (4 | high, 1)), ("prctl", 157, 167, (38 | high, 0)), ("socketpair", 53, 199, (2 | high, 1, 0, bytes(8))),
                                 ("socketpair", 53, 199, (1 | high, 2 | high, 0, bytes(8))), ("fcntl", 72, 25, (0, 8 | high, order["host"])),
                                 ("fcntl", 72, 25, (1, 1031 | high, 1 << 20)), ("prlimit64", 302, 261, (high, 7, bytes(16), None)),
                                 ("prlimit64", 302, 261, (order["host"] | high, 7, None, bytes(16))), ("clone", 56, 220, (17 | high, 0, 0, 0, 0)),
                                 ("tgkill", 234, 131, (order["host"] | high, order["host"], 0)), ("tgkill", 234, 131, (-1, -1, 0))):
        result = sysc(x86, arm, *args)
        if result == 0 and name == "clone":
            import os
            os._exit(0)
        if result >= 0:
            done.append((name, args))
    return done


attempt(crime)
