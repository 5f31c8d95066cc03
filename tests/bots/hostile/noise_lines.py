# expect: bad_reply
# lines that are no answers
import os

import report

while True:
    os.write(1, b"I am thinking\n" * 4096)
