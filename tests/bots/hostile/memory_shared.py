# expect: held or memory
# memory that limits do not count: shared pages, memfd, System V, huge pages
import ctypes, mmap

from report import attempt, order, sysc, tries


def crime():
    done = []
    if sysc(319, 279, ctypes.c_char_p(b"x"), 0) >= 0:
        done.append("memfd_create")
    if sysc(447, 447, 0) >= 0:
        done.append("memfd_secret")
    if sysc(29, 194, 0, 1 << 20, 0o1600) >= 0:
        done.append("shmget")
    if sysc(240, 180, ctypes.c_char_p(b"/hostile-was-here"), 0o102, 0o600, None) >= 0:
        done.append("mq_open")
    total = 0
    pages = []
    try:
        while total < order["memory"]:
            pages.append(mmap.mmap(-1, 32 << 20))
            pages[-1].write(b"\1" * (32 << 20))
            total += 32 << 20
    except (OSError, MemoryError, ValueError):
        pass
    return done or total >= order["memory"]


attempt(crime)
