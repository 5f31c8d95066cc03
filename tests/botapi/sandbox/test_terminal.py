"""What moves a terminal never leaves a match host, whatever text a bot puts it into."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from botapi import protocol
from botapi.sandbox import Kind
from tests.botapi.sandbox.running import write_bot
from tests.games.test_host import HOUSE, Host, job

HOSTILE = Path(__file__).resolve().parents[2] / "bots" / "hostile" / "terminal.py"
EVIL = next(line for line in HOSTILE.read_text().splitlines() if line.startswith("EVIL = "))
BOT = f"""
import json, sys
{EVIL}
for line in sys.stdin:
    asked = json.loads(line)
    sys.stderr.write(EVIL + "\\n")
    sys.stderr.flush()
    if asked["type"] == "hello":
        print(json.dumps({{"v": 1, "id": asked["id"], "ready": True}}), flush=True)
    elif asked["type"] == "act":
        print(json.dumps({{"id": asked["id"], "action": asked["legal"][0], "log": EVIL, "note": EVIL}}), flush=True)
"""


def test_no_event_of_a_host_holds_what_a_bot_wrote_for_a_terminal(kind: Kind, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", BOT)
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == os.getuid() and parent.stat().st_mode & 0o005 != 0o005:
            parent.chmod(parent.stat().st_mode | 0o055)
    host = Host("--backend", kind)
    try:
        assert host.read()["type"] == "ready"
        seat = {"kind": "sandbox", "name": "evil", "version": "1", "dir": str(bot), "limits": {}}
        host.send(job("t", seats=[seat, *HOUSE[:2]]))
        events = host.until("finished", "failed", "refused")
    finally:
        host.close()
    assert events[-1]["type"] == "finished", events[-1]
    assert [text for text in _texts(events) if protocol.printable(text) != text] == []
    found = {
        name
        for name in ("log", "note", "stderr")
        if any("\\u001b[2J" in text for text in _texts(events, name))
    }
    assert found == {"log", "note", "stderr"}, sorted(events[-1])


def _texts(value: Any, name: str = "") -> Iterator[str]:
    """Every text in ``value``; with a ``name``, those below a key that is that or several of it."""
    if isinstance(value, str) and not name:
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not name:
                yield key
            yield from _texts(inner, "" if key.removesuffix("s") == name else name)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, name)
