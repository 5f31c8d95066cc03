# expect: held
# have the kernel signal somebody when a pipe moves
import os

from report import attempt, order, sysc, tries


def crime():
    import fcntl
    reader, writer = os.pipe()
    return tries(fcntl.fcntl, (reader, 8, order["host"]), (reader, 10, 9), (reader, 15, b"\1\0\0\0" + order["host"].to_bytes(4, "little"))) + tries(
        fcntl.ioctl, (reader, 0x8901, b"\1\0\0\0"))


attempt(crime)
