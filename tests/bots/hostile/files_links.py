# expect: held
# plant links
import os

from report import attempt, order, sysc, tries


def crime():
    return tries(os.symlink, ("/etc/passwd", "hostile-was-here"), ("/etc/passwd", "/tmp/hostile-was-here")) + tries(
        os.link, (__file__, "/tmp/hostile-was-here"), ("/dev/null", "hostile-was-here"))


attempt(crime)
