# expect: held
# reach a file through a descriptor that stands for its path
import os

from report import attempt, order, sysc, tries


def crime():
    handle = os.open(os.path.dirname(order["secret"]), os.O_PATH)
    return os.read(os.open("secret", os.O_RDONLY, dir_fd=handle), 20)


attempt(crime)
