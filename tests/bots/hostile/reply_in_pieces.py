# expect: held
# a right answer byte by byte: slow, but no fault
import os

from report import next_request, reply

while True:
    for byte in reply():
        os.write(1, bytes([byte]))
    next_request()
