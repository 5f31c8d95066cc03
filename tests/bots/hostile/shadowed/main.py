# expect: held
# modules of the standard library's names, and everything that Python might load by itself
import json
import os
import sys

import encodings.idna
from report import attempt, order, tries


def crime():
    here = os.path.dirname(os.path.abspath(__file__))
    loaded = [name for name in ("json", "os", "ctypes", "encodings", "sitecustomize", "usercustomize") if str(getattr(sys.modules.get(name), "__file__", "")).startswith(here)]
    # what it shadows is its own affair; but its own modules come last, and nothing of it ran before the shim
    return loaded or getattr(sys, "hostile_was_here", False)


attempt(crime)
