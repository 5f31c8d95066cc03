# expect: held
# the service's own code and settings
import os

from report import attempt, order, sysc, tries


def crime():
    return [path for path in order["settings"] if tries(open, (path,)) or tries(os.listdir, (path,))]


attempt(crime)
