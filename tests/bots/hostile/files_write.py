# expect: held
# write anywhere
import os

from report import attempt, order, sysc, tries


def crime():
    here = os.path.dirname(os.path.abspath(__file__))
    places = ("/", "/tmp", "/usr", "/usr/lib", "/etc", "/var/tmp", "/dev/shm", "/run", "/root", "/opt", "/srv", here, here + "/..",
              os.getcwd(), order["place"])
    return tries(open, *((os.path.join(place, "hostile-was-here"), "w") for place in places))


attempt(crime)
