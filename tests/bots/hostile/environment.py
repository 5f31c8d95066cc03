# expect: held
# the service's environment
import os

from report import attempt, order, sysc, tries


def crime():
    allowed = {"PATH", "LANG", "HOME", "PYTHONDONTWRITEBYTECODE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "PWD", "LC_CTYPE"}
    return sorted(set(os.environ) - allowed)


attempt(crime)
