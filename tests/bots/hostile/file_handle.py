# expect: forbidden
# open a file by its handle
import os

from report import order, sysc, tell

tell(True, sysc(304, 265, 0, None, 0))
