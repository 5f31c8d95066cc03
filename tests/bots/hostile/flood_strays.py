# expect: bad_reply
# a flood of well-formed answers to nothing
import os

import report

line = b'{"id":"x","action":"y"}\n' * 2000
while True:
    os.write(1, line)
