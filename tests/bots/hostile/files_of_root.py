# expect: held
# a file in its own directory that only root may read, where root started all this
import os

from report import attempt, order, sysc, tries


def crime():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "private")
    return os.path.exists(path) and tries(open, (path,), (path, "r+"))


attempt(crime)
