# expect: timeout
# computes in threads that hold no lock, so that its processor time runs faster than the clock
import hashlib
import threading

import report


def burn():
    while True:
        hashlib.pbkdf2_hmac("sha256", b"", b"", 10**6)


for _ in range(8):
    threading.Thread(target=burn).start()
