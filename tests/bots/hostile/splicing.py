# expect: held
# move bytes where they could not be written
import ctypes
import os

from report import attempt, order, sysc, tries


def crime():
    reader, writer = os.pipe()
    source = os.open(__file__, os.O_RDONLY)
    os.write(writer, b"x" * 100)
    calls = {"splice": (275, 76, reader, None, source, None, 10, 0), "tee": (276, 77, reader, writer, 10, 0), "vmsplice": (278, 75, writer, bytes(16), 1, 0),
             "sendfile": (40, 71, writer, source, None, 10), "copy_file_range": (326, 285, source, None, source, None, 10, 0),
             "pwritev": (296, 70, source, bytes(16), 1, 0), "write": (1, 64, source, ctypes.c_char_p(b"x"), 1), "pwrite": (18, 68, source, ctypes.c_char_p(b"x"), 1, 0)}
    return [name for name, (x86, arm, *args) in calls.items() if sysc(x86, arm, *args) >= 0]


attempt(crime)
