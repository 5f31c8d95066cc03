# expect: held
# a socket in the file system
import socket

from report import attempt, order, sysc, tries


def crime():
    client = socket.socket(socket.AF_UNIX)
    client.connect(order["unix"])
    return True


attempt(crime)
