"""Chooses with numpy: the legal action whose weight, a product of matrices of the view, is greatest."""
import json
import sys

import numpy as np

draws = np.random.default_rng(7)
mixing = draws.random((64, 64))
directions = np.linalg.svd(mixing)[2]

for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        print(json.dumps({"v": 1, "id": m["id"], "ready": True}), flush=True)
    elif m["type"] == "act":
        legal = [a for a in m["legal"] if a not in ("redeal", "concede")] or m["legal"]
        codes = np.frombuffer("".join(legal).encode().ljust(64)[:64], dtype=np.uint8).astype(float)
        weights = (mixing @ directions @ codes)[: len(legal)]
        print(json.dumps({"id": m["id"], "action": legal[int(weights.argmax()) if len(weights) else 0]}), flush=True)
