# expect: held
# as many processes as it can
import os, time

from report import attempt, order, sysc, tries


def crime():
    children = 0
    for _ in range(200):
        try:
            if os.fork() == 0:
                time.sleep(30)
                os._exit(0)
            children += 1
        except OSError:
            pass
    return children


attempt(crime)
