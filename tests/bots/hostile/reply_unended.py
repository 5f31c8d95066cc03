# expect: exited
# a right answer without the line's end, and gone
import os

from report import reply

os.write(1, reply()[:-1])
