# expect: start timeout
# computes instead of saying hello
import threading

for _ in range(4):
    threading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=False).start()
