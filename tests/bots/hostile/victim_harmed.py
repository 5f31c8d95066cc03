# expect: held
# end, stop, slow down or read another bot on the same machine
import ctypes
import os
import resource

from report import attempt, order, sysc, tries


def crime():
    victim = order["victim"]
    done = tries(os.kill, (victim, 0), (victim, 9), (victim, 19), (-victim, 9)) + tries(os.killpg, (victim, 9))
    done += tries(resource.prlimit, (victim, resource.RLIMIT_CPU, (0, 0)), (victim, resource.RLIMIT_AS, (0, 0)))
    done += tries(os.setpriority, (os.PRIO_PROCESS, victim, 19)) + tries(os.sched_setaffinity, (victim, {0}))
    for name, x86, arm, args in (("tkill", 200, 130, (victim, 9)), ("tgkill", 234, 131, (victim, victim, 9)), ("rt_sigqueueinfo", 129, 138, (victim, 9, bytes(128))),
                                 ("pidfd_open", 434, 434, (victim, 0)), ("kcmp", 312, 272, (os.getpid(), victim, 0, 0, 0))):
        if sysc(x86, arm, *args) >= 0:
            done.append(name)
    for name in ("mem", "fd/0", "environ", "maps", "cwd"):
        done += tries(os.open, (f"/proc/{victim}/{name}", os.O_RDONLY)) + tries(os.readlink, (f"/proc/{victim}/{name}",))
    return done


attempt(crime)
