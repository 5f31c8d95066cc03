# expect: bad_reply
# a gigabyte without a line's end
import os

import report

block = b"x" * 65536
for _ in range(16384):
    os.write(1, block)
