# expect: held
# change what belongs to a file without writing into it: modes, owners, times, attributes, names
import ctypes
import os

from report import attempt, order, sysc, tries


def crime():
    done = []
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (__file__, here, order["secret"], "/usr/lib/python3", "/dev/null", "/tmp", "/"):
        done += tries(os.chmod, (path, 0o777)) + tries(os.chown, (path, -1, -1)) + tries(os.utime, (path,))
        done += tries(os.setxattr, (path, "user.hostile", b"x")) + tries(os.rename, (path, "/tmp/hostile-was-here"), (path, path + "x"))
        done += tries(os.truncate, (path, 0)) + tries(os.unlink, (path,)) + tries(os.rmdir, (path,))
    done += tries(os.fchmod, (0, 0o777), (1, 0o777)) + tries(os.ftruncate, (1, 0)) + tries(os.posix_fallocate, (1, 0, 4096))
    for number, x86, arm in (("openat2", 437, 437), ("renameat2", 316, 276), ("fchmodat2", 452, 452), ("file_setattr", 469, 469)):
        if sysc(x86, arm, -100, ctypes.c_char_p(b"hostile-was-here"), bytes(64), 24, 0) not in (-1, -38):
            done.append(number)
    return done


attempt(crime)
