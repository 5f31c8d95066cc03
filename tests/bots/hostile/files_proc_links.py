# expect: held
# other processes' files through /proc, links included
import os

from report import attempt, order, sysc, tries


def crime():
    done = []
    for pid in (order["host"], order["victim"], os.getppid(), 1):
        for name in ("cwd", "root", "exe", "fd/0", "fd/3", "ns/user", "ns/net", "task"):
            path = f"/proc/{pid}/{name}"
            done += tries(os.readlink, (path,)) + tries(os.listdir, (path,)) + tries(os.open, (path, os.O_RDONLY))
    for pid in ("self", "thread-self", order["victim"]):
        done += tries(os.open, (f"/proc/{pid}/mem", os.O_RDWR), (f"/proc/{pid}/oom_score_adj", os.O_WRONLY), (f"/proc/{pid}/attr/current", os.O_RDWR))
    return done


attempt(crime)
