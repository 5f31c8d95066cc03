# expect: held
# what another bot could change and this one read: counters and caches of the machine, processes beside it
import ctypes
import os
import time

from report import attempt, libc, order, sysc, tries


def crime():
    buffer = ctypes.create_string_buffer(4096)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    file = os.open(os.__file__, os.O_RDONLY)
    page = libc.mmap(None, 4096, 1, 2, file, 0)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 16)
    # a futex's wake in a file's page, the machine's memory and threads, the page cache, all sockets' number
    calls = {"futex": (202, 98, ctypes.c_void_p(page), 1, 1, None, None, 0), "sysinfo": (99, 179, buffer), "fadvise64": (221, 223, file, 0, 0, 4),
             "mincore": (27, 232, ctypes.c_void_p(page), 4096, buffer), "preadv2": (327, 286, file, vector, 1, 0, 0, 8), "readahead": (187, 213, file, 0, 4096),
             "syncfs": (306, 267, file), "semget": (64, 190, 0x5EC, 1, 0o1666), "msgget": (68, 186, 0x5EC, 0o1666)}
    done = [name for name, (x86, arm, *args) in calls.items() if sysc(x86, arm, *args) >= 0]
    for pid in (1, os.getppid(), order["host"], order["victim"]):
        if pid != os.getpid():
            done += tries(os.getsid, (pid,)) + tries(os.getpgid, (pid,)) + tries(os.sched_getscheduler, (pid,)) + tries(os.sched_getaffinity, (pid,))
            done += tries(os.sched_getparam, (pid,)) + tries(os.getpriority, (0, pid), (1, pid), (2, 0)) + tries(time.clock_gettime, (~pid << 3 | 2,))
    return done


attempt(crime)
