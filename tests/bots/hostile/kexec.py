# expect: forbidden
# boot another kernel
import os

from report import order, sysc, tell

tell(True, sysc(246, 104, 0, 0, None, 0))
