# expect: exited
# the same in the words of its end
import sys

import report

raise SystemExit("\x1b[2J\x1b]0;owned\x07" * 100)
