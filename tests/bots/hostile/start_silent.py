# expect: start timeout or start cpu
# computes instead of saying hello
import threading


def spin():
    while True:
        pass


for _ in range(4):
    threading.Thread(target=spin, daemon=False).start()
