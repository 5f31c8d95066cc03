# expect: held
# more open files than it may have
import os

from report import attempt, order, sysc, tries


def crime():
    handles = []
    try:
        while len(handles) < 2000:
            handles.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    for handle in handles:
        os.close(handle)
    return len(handles) > 64


attempt(crime)
