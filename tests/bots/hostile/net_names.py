# expect: held
# ask for a name
import socket

from report import attempt, order, sysc, tries


def crime():
    return socket.getaddrinfo("example.org", 80)


attempt(crime)
