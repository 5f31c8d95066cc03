# expect: held
# leave a mark for its next match; run twice
import os

from report import attempt, order, sysc, tries


def crime():
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(place, "hostile-was-here") for place in ("/tmp", "/var/tmp", "/dev/shm", here, os.path.expanduser("~"), ".")]
    found = [path for path in places if os.path.exists(path)]
    tries(open, *((path, "w") for path in places))
    return found


attempt(crime)
