"""Plays the first sensible legal action, forever."""
import json
import sys

for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        print(json.dumps({"v": 1, "id": m["id"], "ready": True}), flush=True)
    elif m["type"] == "act":
        action = next((a for a in m["legal"] if a not in ("redeal", "concede")), m["legal"][0])
        print(json.dumps({"id": m["id"], "action": action}), flush=True)
