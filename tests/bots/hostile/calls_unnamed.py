# expect: held
# every system call that the policy does not name, whatever it is, with arguments that some of them would take
import ctypes
import errno

from report import X86, attempt, order, sysc

REFUSED = (-errno.EPERM, -errno.ENOSYS)
# what the policy names, and two (uretprobe, uprobe) that newer kernels show to no filter: they end whoever calls them
LEFT_OUT = {*order["ruled"], 335, 336} if X86 else {*order["ruled"]}


def crime():
    buffer = ctypes.create_string_buffer(b"/bot/main.py\0", 4096)
    done = []
    for number in range(700):
        if number not in LEFT_OUT:
            for args in ((0, 0, 0, 0, 0, 0), (-1, -1, -1, -1, -1, -1), (buffer, buffer, 0, 0, 0, 0), (1, buffer, 1, 0, 0, 0)):
                if sysc(number, number, *args) not in REFUSED:
                    done.append(number)
    return sorted(set(done))


attempt(crime)
