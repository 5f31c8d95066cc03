# expect: held
# hide open descriptors inside a socket
import socket

from report import attempt, order, sysc, tries


def crime():
    import array
    ours, _ = socket.socketpair()
    return ours.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])


attempt(crime)
