# expect: illegal x 6
# actions that are none
import json
import os

from report import next_request, request

for action in ("", "play:XX", "play:9s", " play:9S", "play:9S\u0000", "'; DROP TABLE games_match; --"):
    os.write(1, json.dumps({"id": request["id"], "action": action}).encode() + b"\n")
    next_request()
