# expect: held
# the limits of other processes
import os, resource

from report import attempt, order, sysc, tries


def crime():
    return tries(resource.prlimit, (order["host"], resource.RLIMIT_CPU), (os.getppid(), resource.RLIMIT_CPU), (order["host"], resource.RLIMIT_CPU, (1, 1)))


attempt(crime)
