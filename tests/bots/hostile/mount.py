# expect: forbidden
# mount something
import os

from report import order, sysc, tell

tell(True, sysc(165, 40, None, None, None, 0, None))
