# expect: forbidden
# load a program into the kernel
import os

from report import order, sysc, tell

tell(True, sysc(321, 280, 5, None, 0))
