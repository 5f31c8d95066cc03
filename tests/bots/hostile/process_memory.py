# expect: forbidden
# read another process's memory
import os

from report import order, sysc, tell

tell(True, sysc(310, 270, order["host"], None, 0, None, 0, 0))
