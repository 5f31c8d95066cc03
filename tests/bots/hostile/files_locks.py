# expect: held
# lock a file that others use
from report import attempt, order, sysc, tries


def crime():
    import fcntl
    with open(order["secret"]) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
    return True


attempt(crime)
