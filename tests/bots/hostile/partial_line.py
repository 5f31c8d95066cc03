# expect: timeout
# half a line
import os
import time

import report

os.write(1, b'{"breach": fal')
time.sleep(1000)
