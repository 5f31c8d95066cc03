# expect: forbidden
# trace its parent
import os

from report import order, sysc, tell

tell(True, sysc(101, 117, 16, os.getppid(), 0, 0))
