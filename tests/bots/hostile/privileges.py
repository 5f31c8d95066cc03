# expect: held
# become somebody, gain rights, undo what holds it
import os

from report import attempt, libc, order, sysc, tries


def crime():
    done = tries(os.setuid, (0,), (1,)) + tries(os.setgid, (0,)) + tries(os.setgroups, ([0],)) + tries(os.nice, (-5,))
    done += tries(os.setpriority, (0, 0, -5)) + tries(os.chroot, ("/",)) + tries(os.setsid, ())
    for option, value in ((38, 0), (4, 1), (22, 0), (8, 1), (24, 0), (47, 2), (35, 1), (36, 1), (1, 0), (59, 1)):
        if libc.prctl(option, value, 0, 0, 0) >= 0:
            done.append(("prctl", option))
    return done or os.getuid() == 0


attempt(crime)
