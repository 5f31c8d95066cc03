# expect: held
# signal through a process descriptor
from report import attempt, order, sysc, tries


def crime():
    handle = sysc(434, 434, order["host"], 0)
    return handle >= 0 and sysc(424, 424, handle, 0, None, 0) == 0


attempt(crime)
