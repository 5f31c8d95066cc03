# expect: forbidden
# the kernel's counters
import os

from report import order, sysc, tell

tell(True, sysc(298, 241, None, 0, -1, -1, 0))
