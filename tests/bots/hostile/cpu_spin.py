# expect: timeout
# computes for ever, in two threads, and ignores the warning
import signal
import threading

import report


def spin():
    while True:
        pass


threading.Thread(target=spin, daemon=True).start()
spin()
