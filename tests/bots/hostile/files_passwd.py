# expect: held
# the machine's users
from report import attempt, order, sysc, tries


def crime():
    return [path for path in ("/etc/passwd", "/etc/shadow", "/etc/group", "/etc/hostname") if tries(open, (path,))]


attempt(crime)
