# expect: held
# raw, packet, netlink, vsock, bluetooth, kernel crypto
import socket

from report import attempt, order, sysc, tries


def crime():
    families = ((2, 3, 1), (17, 3, 768), (16, 3, 0), (40, 1, 0), (31, 3, 0), (38, 5, 0), (29, 3, 1), (21, 5, 0), (44, 3, 0))
    return tries(socket.socket, *families)


attempt(crime)
