# expect: forbidden
# stop the kernel at a page
import os

from report import order, sysc, tell

tell(True, sysc(323, 282, 0))
