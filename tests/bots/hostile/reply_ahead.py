# expect: held
# answers questions that have not been asked yet, as many as fit into the pipe
import json
import os

from report import reply, request, next_request

while True:
    match, attempt, seat, number = request["id"].split("/")
    ahead = b"".join(json.dumps({"id": f"{match}/1/0/{int(number) + n}", "action": "play:XX"}).encode() + b"\n" for n in range(5, 900))
    os.write(1, reply(log='{"breach": false, "detail": ""}') + ahead)
    next_request()
