# expect: held
# lock what others read too, in every way there is: a lock is seen from every sandbox, so that two bots can talk
import fcntl
import os
import struct

from report import attempt, order, sysc, tries


def crime():
    done = []
    for path, flags in ((os.__file__, os.O_RDONLY), (__file__, os.O_RDONLY), ("/dev/null", os.O_RDWR), ("/dev/zero", os.O_RDONLY)):
        handle = os.open(path, flags)
        lock = struct.pack("hhqqi4x", fcntl.F_WRLCK if flags else fcntl.F_RDLCK, 0, 17, 1, 0)
        # GETLK, SETLK, SETLKW, OFD_GETLK, OFD_SETLK
        done += [(path, args[1]) for args in tries(fcntl.fcntl, *((handle, command, lock) for command in (5, 6, 7, 36, 37)))]
        # SETLEASE, GETLEASE, NOTIFY
        done += [(path, args[1]) for args in tries(fcntl.fcntl, *((handle, command, 0) for command in (1024, 1025, 1026)))]
        done += [(path, "flock") for _ in tries(fcntl.flock, (handle, fcntl.LOCK_SH), (handle, fcntl.LOCK_EX))]
        os.close(handle)
    return done


attempt(crime)
