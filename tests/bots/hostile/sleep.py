# expect: timeout
# sleeps for ever, deaf to every signal that can be ignored
import signal
import time

import report

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    time.sleep(1000)
