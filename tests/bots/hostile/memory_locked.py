# expect: held
# pages that cannot be paged out
import mmap

from report import attempt, order, sysc, tries


def crime():
    import ctypes

    page = mmap.mmap(-1, 1 << 20)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    calls = {"mlock": (149, 228, address, 1 << 20), "mlockall": (151, 230, 3), "mlock2": (325, 284, address, 1 << 20, 0), "remap_file_pages": (216, 234, address, 4096, 0, 1, 0)}
    done = [name for name, (x86, arm, *args) in calls.items() if sysc(x86, arm, *args) >= 0]
    return done + tries(mmap.mmap, (-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x2000))


attempt(crime)
