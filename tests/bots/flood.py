"""Greets, then writes without end: `flood.py WHAT`. Its own answers are right, if anybody still hears them."""
import json
import os
import sys
import threading

WHAT = sys.argv[1]
CHUNKS = {
    "endless": (1, b"{" * 65536),
    "noise": (1, (b"x" * 4095 + b"\n") * 16),
    "answers": (1, (b'{"id":"x/1/0/1","action":"play:9S","log":"' + b"y" * 4000 + b'"}\n') * 16),
    "stderr": (2, (b"e" * 1023 + b"\n") * 64),
}


def out(answer):
    os.write(1, json.dumps(answer).encode() + b"\n")


def flood():
    descriptor, chunk = CHUNKS[WHAT]
    while True:
        os.write(descriptor, chunk)


for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        out({"id": m["id"], "ready": True})
    elif m["type"] == "act":
        if threading.active_count() == 1:
            threading.Thread(target=flood, daemon=True).start()
        out({"id": m["id"], "action": next((a for a in m["legal"] if a not in ("redeal", "concede")), m["legal"][0])})
