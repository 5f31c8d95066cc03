# expect: forbidden
# the kernel's keys
import os

from report import order, sysc, tell

tell(True, sysc(250, 219, 0, -3, 1))
