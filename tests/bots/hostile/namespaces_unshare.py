# expect: forbidden
# a new user namespace
import os

from report import order, sysc, tell

tell(True, sysc(272, 97, 0x10000000))
