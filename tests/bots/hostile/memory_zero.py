# expect: held or memory
# pages of /dev/zero, reserved and huge pages, growing maps
import ctypes
import mmap
import os

from report import attempt, order, sysc, tries


def crime():
    done, maps = [], []
    handle = os.open("/dev/zero", os.O_RDONLY)
    for flags in (mmap.MAP_PRIVATE, mmap.MAP_SHARED, mmap.MAP_PRIVATE | 0x40000, mmap.MAP_PRIVATE | 0x4000, mmap.MAP_PRIVATE | 0x8000):
        held = 0
        try:
            while held < 2 * order["memory"]:
                page = mmap.mmap(handle if held % 2 == 0 else -1, 16 << 20, flags=flags, prot=mmap.PROT_READ | (mmap.PROT_WRITE if flags & mmap.MAP_PRIVATE else 0))
                maps.append(page)
                if flags & mmap.MAP_PRIVATE:
                    for at in range(0, 16 << 20, 4096):
                        page[at] = 1
                held += 16 << 20
        except (OSError, ValueError, MemoryError):
            pass
        if held >= order["memory"]:
            done.append((flags, held))
        maps.clear()
    return done


attempt(crime)
