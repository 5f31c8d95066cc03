# expect: held
# change its own file, which the next match runs
import os

from report import attempt, order, sysc, tries


def crime():
    return tries(open, (__file__, "a"), (__file__, "r+")) + tries(os.chmod, (__file__, 0o777)) + tries(os.unlink, (__file__,))


attempt(crime)
