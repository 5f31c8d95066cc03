# expect: held
# a socket in the abstract namespace
import socket

from report import attempt, order, sysc, tries


def crime():
    client = socket.socket(socket.AF_UNIX)
    client.connect("\0" + order["abstract"])
    return True


attempt(crime)
