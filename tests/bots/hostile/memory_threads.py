# expect: held or memory
# threads with stacks of many megabytes each, all of them touched
import threading

from report import attempt, order, sysc, tries


def deep(level):
    return deep(level - 1) + 1 if level else 0


def crime():
    threading.stack_size(64 << 20)
    stop, count = threading.Event(), 0
    try:
        for _ in range(60):
            threading.Thread(target=lambda: (deep(500), stop.wait()), daemon=True).start()
            count += 1
    except (RuntimeError, MemoryError):
        pass
    stop.set()
    threading.stack_size(0)
    return count if count * 64 << 20 > 2 * order["memory"] else 0


attempt(crime)
