# expect: held
# raise its own limits
import resource

from report import attempt, order, sysc, tries


def crime():
    done = []
    for name in ("AS", "CPU", "NPROC", "NOFILE", "FSIZE", "CORE", "STACK", "MEMLOCK", "SIGPENDING"):
        which = getattr(resource, "RLIMIT_" + name)
        soft, hard = resource.getrlimit(which)
        done += tries(resource.setrlimit, (which, (hard, hard)), (which, (-1, -1)))
        if soft < 0:
            done.append(name)
    return done


attempt(crime)
