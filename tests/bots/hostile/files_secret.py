# expect: held
# a file that its user may read outside
from report import attempt, order, sysc, tries


def crime():
    return open(order["secret"]).read()


attempt(crime)
