# expect: held
# live on after the match
import os, time

from report import attempt, order, sysc, tries


def crime():
    if os.fork() == 0:
        os.setsid()
        time.sleep(30)
    return True


attempt(crime)
