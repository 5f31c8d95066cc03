# expect: ended
# ignores the signal that says its processor time is used up
import signal

signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while True:
    pass
