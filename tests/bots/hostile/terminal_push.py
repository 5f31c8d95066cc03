# expect: held
# type into the terminal from which the service was started, or become its owner
import os

from report import attempt, order, sysc, tries


def crime():
    done = tries(os.open, ("/dev/tty", os.O_RDWR), ("/dev/pts/0", os.O_RDWR), ("/dev/console", os.O_RDWR))
    # TIOCSTI, TIOCLINUX, TIOCSWINSZ, TCSETS, TIOCSCTTY, TIOCSETD, FIOASYNC; the filter sees 64 bits, the kernel 32
    for call in (0x5412, 0x541C, 0x5414, 0x5402, 0x540E, 0x5423, 0x5452):
        for high in (0, 1 << 32):
            for number in (0, 1, 2):
                if sysc(16, 29, number, call | high, os.urandom(64)) != -1:
                    done.append((number, hex(call | high)))
    return done


attempt(crime)
