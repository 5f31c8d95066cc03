# expect: held
# signal its parent, its group, everybody
import os

from report import attempt, order, sysc, tries


def crime():
    return tries(os.kill, (os.getppid(), 0), (os.getppid(), 9), (order["host"], 0), (-1, 0), (0, 0), (1, 9)) + tries(
        os.killpg, (os.getpgrp(), 0))


attempt(crime)
