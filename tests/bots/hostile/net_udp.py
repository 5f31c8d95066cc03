# expect: held
# send a datagram
import socket

from report import attempt, order, sysc, tries


def crime():
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    return client.sendto(b"hostile", ("127.0.0.1", order["udp"]))


attempt(crime)
