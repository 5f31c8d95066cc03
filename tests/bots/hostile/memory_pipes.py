# expect: held
# memory in the kernel: large pipes
import os

from report import attempt, order, sysc, tries


def crime():
    import fcntl
    done = []
    for _ in range(20):
        reader, writer = os.pipe()
        done += tries(fcntl.fcntl, (writer, 1031, 1 << 20))
    return done


attempt(crime)
