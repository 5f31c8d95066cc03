# expect: forbidden
# mount with the new calls
import os

from report import order, sysc, tell

tell(True, sysc(430, 430, None, 0))
