# expect: held
# fork, in every form
import os

from report import attempt, order, sysc, tries


def crime():
    done = []
    for name, x86, arm, args in (("fork", 57, None, ()), ("vfork", 58, None, ()), ("clone", 56, 220, (17, 0, 0, 0, 0)), ("clone vm", 56, 220, (0x100 | 17, 0, 0, 0, 0))):
        if arm is None and os.uname().machine != "x86_64":
            continue
        result = sysc(x86, arm, *args)
        if result == 0:
            os._exit(0)
        if result > 0:
            done.append(name)
    return done


attempt(crime)
