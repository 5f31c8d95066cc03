# expect: held
# as many threads as it can: the limit is 64
import threading

from report import attempt, order, sysc, tries


def crime():
    threading.stack_size(64 * 1024)
    stop = threading.Event()
    count = 0
    try:
        for _ in range(2000):
            threading.Thread(target=stop.wait, daemon=True).start()
            count += 1
    except RuntimeError:
        pass
    stop.set()
    return count if count > order["threads"] else 0


attempt(crime)
