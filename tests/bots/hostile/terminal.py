# expect: held
# what moves a terminal, in every text that somebody may read
import json
import os
import sys

from report import next_request, reply

EVIL = "\x1b[2J\x1b]0;owned\x07\x1b]52;c;cm0gLXJm\x07\x1bP+q544e\x1b\\\x9b31m\r\x08\x7f\u202eevil\u2066\u200b\ufeff\x00"
while True:
    sys.stderr.write(EVIL + "\n")
    sys.stderr.flush()
    os.write(1, EVIL.encode() + b"\n")
    os.write(1, json.dumps({"id": EVIL, "action": EVIL}).encode() + b"\n")
    os.write(1, reply(log=EVIL * 40, note=EVIL * 40, state=EVIL))
    next_request()
