"""Answers each `act` with the next reply of a file (hexadecimal, one a line) and then rightly.

In a reply `<ID>` means the id, `<ACTION>` a legal action.
"""
import json
import sys

replies = [bytes.fromhex(line) for line in open(sys.argv[1]).read().splitlines()]
number = 0


def out(data):
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        out(json.dumps({"id": m["id"], "ready": True}).encode())
    elif m["type"] == "act":
        action = next((a for a in m["legal"] if a not in ("redeal", "concede")), m["legal"][0])
        reply = replies[number % len(replies)]
        out(reply.replace(b"<ID>", m["id"].encode()).replace(b"<ACTION>", action.encode()))
        number += 1
        out(json.dumps({"id": m["id"], "action": action}).encode())
