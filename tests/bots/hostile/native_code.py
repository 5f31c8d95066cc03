# expect: held
# its own machine code: a shell, by a raw execve from a page that it wrote itself
import ctypes
import mmap

from report import X86, attempt, order, sysc, tries


def crime():
    if not X86:
        return False
    page = mmap.mmap(-1, 4096, prot=7)
    # lea rdi,[rip+path]; xor esi,esi; xor edx,edx; mov eax,59; syscall; ret; path: "/bin/sh"
    page.write(bytes.fromhex("488d3d0c00000031f631d2b83b0000000f05c3") + b"/bin/sh\0")
    result = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    return 0 if result == -1 else result


attempt(crime)
