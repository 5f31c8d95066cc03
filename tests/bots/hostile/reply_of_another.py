# expect: timeout
# answers to questions that were asked of others, of old ones and of none
import json
import os
import time

from report import request

match, attempt, seat, number = request["id"].split("/")
for other in (f"{match}/1/1/{number}", f"{match}/2/0/{number}", f"{match}/1/0/0", "../../etc/passwd", "", "x" * 5000, "\x1b[2J"):
    os.write(1, json.dumps({"id": other, "action": "play:9S"}).encode() + b"\n")
time.sleep(1000)
