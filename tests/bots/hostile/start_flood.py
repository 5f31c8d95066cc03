# expect: start bad_reply
# writes instead of saying hello
import os

while True:
    os.write(1, b"hello " * 10_000)
