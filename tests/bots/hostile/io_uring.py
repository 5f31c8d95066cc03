# expect: forbidden
# a second door to every call
import os

from report import order, sysc, tell

tell(True, sysc(425, 425, 8, None))
