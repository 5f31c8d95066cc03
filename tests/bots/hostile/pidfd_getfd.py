# expect: forbidden
# take a descriptor of another process
import os

from report import order, sysc, tell

tell(True, sysc(438, 438, 0, 0, 0))
