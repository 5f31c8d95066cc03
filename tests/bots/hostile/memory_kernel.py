# expect: held
# memory that the kernel holds for it: full pipes, full sockets, many of everything that can be opened
import os
import select
import socket

from report import attempt, order, sysc, tries


def crime():
    held, keep = 0, []
    try:
        while True:
            reader, writer = os.pipe()
            keep += [reader, writer]
            os.set_blocking(writer, False)
            try:
                while True:
                    held += os.write(writer, b"x" * 65536)
            except BlockingIOError:
                pass
    except OSError:
        pass
    for handle in keep:
        os.close(handle)
    pairs = []
    try:
        while True:
            ours, theirs = socket.socketpair()
            pairs += [ours, theirs]
            tries(ours.setsockopt, (socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30))
            ours.setblocking(False)
            try:
                while True:
                    held += ours.send(b"x" * 65536)
            except BlockingIOError:
                pass
    except OSError:
        pass
    for pair in pairs:
        pair.close()
    return held if held > 32 << 20 else 0


attempt(crime)
