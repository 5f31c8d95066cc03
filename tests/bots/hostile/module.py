# expect: forbidden
# load a kernel module
import os

from report import order, sysc, tell

tell(True, sysc(313, 273, 0, None, 0))
