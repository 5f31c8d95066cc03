# expect: held
# more of the processor than the others get
import os

from report import attempt, order, sysc, tries


def crime():
    param = os.sched_param(1)
    cpus = set(range(os.cpu_count() or 1))
    done = tries(os.sched_setscheduler, (0, os.SCHED_FIFO, param), (0, os.SCHED_RR, param), (0, os.SCHED_BATCH, os.sched_param(0)), (order["victim"], os.SCHED_IDLE, os.sched_param(0)))
    done += tries(os.sched_setaffinity, (0, cpus), (order["victim"], {0})) + tries(os.setpriority, (0, 0, -20), (0, order["victim"], 19), (1, 0, 19))
    done += tries(os.nice, (-5,)) + tries(os.setpgid, (0, 0), (order["victim"], 0))
    if sysc(251, 30, 1, 0, 1 << 13) >= 0:
        done.append("ioprio_set")
    if sysc(314, 274, 0, bytes(48), 0) >= 0:
        done.append("sched_setattr")
    return done


attempt(crime)
