# expect: held
# think on the others' time: threads, timers and signal handlers that go on after the answer
import signal
import sys
import threading

from report import next_request, tell

count = 0


def burn():
    global count
    while True:
        count += 1


signal.signal(signal.SIGCONT, lambda *_: [None for _ in range(1000)])
signal.signal(signal.SIGALRM, lambda *_: [None for _ in range(1000)])
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
sys.setswitchinterval(1e-4)
threading.Thread(target=burn, daemon=True).start()
while True:
    tell(False, count)
    next_request()
