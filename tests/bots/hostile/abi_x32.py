# expect: forbidden or signal or held
# the calls of another machine: x32 numbers
import os

from report import sysc, tell

if os.uname().machine == "x86_64":
    tell(sysc(0x40000000 | 39, 0) > 0)
else:
    tell(False, "not this machine")
