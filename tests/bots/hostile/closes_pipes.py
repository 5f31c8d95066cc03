# expect: timeout or closed
# closes its pipes and lives on
import os
import time

import report

for number in (0, 1, 2):
    os.close(number)
time.sleep(1000)
