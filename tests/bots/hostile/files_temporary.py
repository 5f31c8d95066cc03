# expect: held
# files without a name, and everything in the library that makes temporary ones
import os
import tempfile

from report import attempt, order, sysc, tries


def crime():
    places = ("/tmp", "/", "/dev", "/dev/shm", "/var/tmp", "/usr/tmp", os.path.dirname(os.path.abspath(__file__)), order["place"])
    done = tries(os.open, *((place, os.O_TMPFILE | os.O_RDWR) for place in places))
    done += tries(tempfile.mkdtemp, *((None, None, place) for place in places))
    done += tries(lambda place: tempfile.TemporaryFile(dir=place), *((place,) for place in places))
    return done


attempt(crime)
