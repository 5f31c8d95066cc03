# expect: held
# make directories, pipes, sockets and devices without number
import os

from report import attempt, order, sysc, tries


def crime():
    path = "/tmp/hostile-was-here"
    return tries(os.mkdir, (path,), ("d",)) + tries(os.mkfifo, (path,)) + tries(os.mknod, (path, 0o60644, 0))


attempt(crime)
