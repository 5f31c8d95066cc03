# expect: held
# open a port
import socket

from report import attempt, order, sysc, tries


def crime():
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    return server.getsockname()


attempt(crime)
