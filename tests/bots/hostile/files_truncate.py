# expect: held
# empty, touch or give away a file
import os

from report import attempt, order, sysc, tries


def crime():
    secret = order["secret"]
    return tries(os.truncate, (secret, 0), (__file__, 0)) + tries(os.utime, (secret,), (__file__,)) + tries(
        os.chown, (secret, 0, 0), (__file__, 65534, 65534)) + tries(os.rename, (secret, secret + "x"))


attempt(crime)
