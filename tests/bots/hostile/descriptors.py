# expect: held
# descriptors that the host left open
import os

from report import attempt, order, sysc, tries


def crime():
    found = []
    for number in range(3, 1024):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass
    return found


attempt(crime)
