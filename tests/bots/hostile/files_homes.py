# expect: held
# other people's directories
import os

from report import attempt, order, sysc, tries


def crime():
    return tries(os.listdir, ("/root",), ("/home",), ("/var/log",), ("/srv",), ("/run",), ("/etc/ssl",), ("/sys",), (order["place"],))


attempt(crime)
