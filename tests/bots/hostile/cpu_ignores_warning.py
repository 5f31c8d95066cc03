# expect: cpu or signal
# ignores the signal that says its processor time is used up
import signal

import report

signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while True:
    pass
