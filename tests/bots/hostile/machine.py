# expect: held
# the machine as a whole: clocks, names, swap, accounting, power, kernel log, ports, segments
import ctypes

from report import X86, attempt, libc, order, sysc, tries


def crime():
    text, buffer = ctypes.c_char_p(b"/tmp/hostile-was-here"), ctypes.create_string_buffer(4096)
    calls = {"settimeofday": (164, 170, buffer, None), "clock_settime": (227, 112, 0, buffer), "adjtimex": (159, 171, buffer), "clock_adjtime": (305, 266, 0, buffer),
             "sethostname": (170, 161, text, 5), "setdomainname": (171, 162, text, 5), "swapon": (167, 224, text, 0), "acct": (163, 89, text), "sync": (162, 81),
             "reboot": (169, 142, 0xFEE1DEAD - (1 << 32), 672274793, 0x1234567, None), "quotactl": (179, 60, 0, text, 0, buffer), "syslog": (103, 116, 3, buffer, 4096),
             "vhangup": (153, 58), "chroot": (161, 51, ctypes.c_char_p(b"/usr")), "personality": (135, 92, 0x0040000), "lookup_dcookie": (212, 18, 0, buffer, 4096),
             "set_mempolicy": (238, 237, 0, None, 0), "migrate_pages": (256, 238, order["host"], 0, None, None), "mbind": (237, 235, 0, 0, 0, None, 0, 0)}
    done = [name for name, (x86, arm, *args) in calls.items() if sysc(x86, arm, *args) != -1]
    if X86:
        for name, number, args in (("iopl", 172, (3,)), ("ioperm", 173, (0, 1024, 1)), ("modify_ldt", 154, (1, buffer, 16)), ("arch_prctl", 158, (0x1002, 0))):
            if sysc(number, 0, *args) != -1:
                done.append(name)
    return done


attempt(crime)
