# expect: held
# run another program
import os, subprocess

from report import attempt, order, sysc, tries


def crime():
    done = []
    for run in (lambda: subprocess.run(["/bin/sh", "-c", "true"]), lambda: os.execv("/usr/bin/python3", ["python3", "-c", ""]),
                lambda: os.posix_spawn("/usr/bin/true", ["true"], {}), lambda: os.system("true") == 0 or 1 / 0):
        try:
            run()
            done.append(True)
        except (OSError, ZeroDivisionError):
            pass
    return done


attempt(crime)
