# expect: held
# a server on loopback, a server elsewhere
import socket

from report import attempt, order, sysc, tries


def crime():
    for family, address in ((socket.AF_INET, ("127.0.0.1", order["tcp"])), (socket.AF_INET, ("192.0.2.1", 80)), (socket.AF_INET6, ("::1", order["tcp"]))):
        try:
            client = socket.socket(family)
            client.settimeout(0.3)
            client.connect(address)
            return address
        except OSError:
            pass


attempt(crime)
