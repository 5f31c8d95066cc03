# expect: silent
# half a line
import os
import time

os.write(1, b'{"breach": fal')
time.sleep(1000)
