# expect: timeout
# one step of the interpreter that takes for ever: no signal handler, no other thread gets a turn
import re

import report

re.match("(a+)+$", "a" * 60 + "b")
