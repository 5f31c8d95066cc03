# expect: forbidden
# enter a namespace
import os

from report import order, sysc, tell

tell(True, sysc(308, 268, 0, 0))
