# expect: held
# use a socketpair to send to somebody else's datagram socket
import socket

from report import attempt, order, sysc, tries


def crime():
    done = []
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try:
            ours, _ = socket.socketpair(socket.AF_UNIX, kind)
        except OSError:
            continue
        for address in (order["datagram"], "\0" + order["abstract"] + "-datagram"):
            done += tries(ours.sendto, (b"hostile", address)) + tries(ours.connect, (address,))
            done += tries(ours.sendmsg, ([b"hostile"], [], 0, address))
    return done


attempt(crime)
