# expect: timeout
# stops itself, so that nobody knows whether it is alive
import os
import signal

import report

while True:
    signal.raise_signal(signal.SIGSTOP)
