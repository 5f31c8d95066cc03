# expect: held
# a right answer, and then as many empty lines as the pipe takes: somebody has to read them all
import os

from report import next_request, reply

while True:
    os.write(1, reply(log='{"breach": false, "detail": ""}') + b"\n" * 65_000)
    next_request()
