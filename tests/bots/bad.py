"""Bad on purpose: the first argument, or the environment of the file's name, says how. `bad.py HOW [WHEN]`."""
import json
import os
import sys
import time

HOW = sys.argv[1]
WHEN = int(sys.argv[2]) if len(sys.argv) > 2 else 0
MARK = sys.argv[3] if len(sys.argv) > 3 else ""


def out(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def strays():
    block = b'{"id":"","action":"","ready":true}\n' * 2000
    while True:
        os.write(1, block)


def misbehave(m):
    good = json.dumps({"id": m["id"], "action": m["legal"][0] if m["type"] == "act" else ""})
    if HOW == "sleep":
        time.sleep(60)
    elif HOW == "spin":
        while True:
            pass
    elif HOW == "crash":
        sys.stderr.write("about to raise\n")
        raise RuntimeError("on purpose")
    elif HOW == "crash_once":
        if not os.path.exists(MARK):
            open(MARK, "w").close()
            os._exit(3)
        out(good)
    elif HOW == "bad_json":
        out("{this is no json")
    elif HOW == "wrong_shape":
        out(json.dumps({"id": m["id"], "action": 7}))
    elif HOW == "wrong_id":
        out(json.dumps({"id": "x/1/0/1", "action": m["legal"][0]}))
    elif HOW == "list":
        out(json.dumps([m["id"], m["legal"][0]]))
    elif HOW == "unended":
        sys.stdout.write(good)
        sys.stdout.flush()
        time.sleep(60)
    elif HOW == "strays":
        strays()
    elif HOW == "strays_between":
        out(good)
        strays()
    elif HOW.startswith("afterword"):
        tail = {"afterword": "{}\n", "afterwords": "{}\n" * 9000 + "{"}[HOW]
        if seen == 1:
            os.write(1, (good + "\n{}\n").encode())
            os.write(1, tail.encode())
            open(MARK, "w").close()
        else:
            out("}" + "\n" + good if tail.endswith("{") else good)
    elif HOW == "illegal":
        out(json.dumps({"id": m["id"], "action": "play:XX"}))
    elif HOW == "huge":
        out(json.dumps({"id": m["id"], "action": "x" * 200000}))
    elif HOW == "endless":
        while True:
            sys.stdout.write("{" * 65536)
    elif HOW == "noise":
        for _ in range(300):
            out("noise")
        out(good)
    elif HOW == "some_noise":
        for _ in range(5):
            out("noise")
        out(good)
    elif HOW == "close_stdout":
        os.close(1)
        time.sleep(60)
    elif HOW == "exit":
        sys.exit(0)
    elif HOW == "late":
        time.sleep(0.6)
        out(good)
    elif HOW == "stderr":
        for _ in range(400):
            sys.stderr.write("e" * 1000 + "\x1b[2J\n")
        out(good)
    elif HOW == "stderr_flood":
        while True:
            sys.stderr.write("e" * 65536)
    elif HOW == "ponder":
        out(good)
        until = time.process_time() + 0.6
        while time.process_time() < until:
            pass
        open(f"{MARK}{seen}", "w").close()
    elif HOW == "terminal":
        out(json.dumps({"id": m["id"], "action": m["legal"][0], "log": "\x1b[2Jhi", "note": "a note\x07", "state": "s"}))


seen = 0
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        if HOW == "refuse":
            out(json.dumps({"v": 1, "id": m["id"], "ready": False, "reason": "I only play at night"}))
        elif HOW == "no_hello":
            time.sleep(60)
        elif HOW == "crash_at_hello":
            raise RuntimeError("cannot start")
        elif HOW == "strays_at_hello":
            strays()
        else:
            out(json.dumps({"v": 1, "id": m["id"], "ready": True}))
    elif m["type"] == "act":
        seen += 1
        if seen > WHEN:
            misbehave(m)
        else:
            action = next((a for a in m["legal"] if a not in ("redeal", "concede")), m["legal"][0])
            out(json.dumps({"id": m["id"], "action": action}))
