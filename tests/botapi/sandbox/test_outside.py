"""The battery would notice: what watches over hostile bots sees each kind of trace."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from botapi.sandbox import Kind, Limits, Runtime
from tests.botapi.sandbox import long_battery, outside
from tests.botapi.sandbox.batteries import CHECKOUT
from tests.botapi.sandbox.running import read_line, running, write_bot

LEAVING = """
import os, sys, time
from pathlib import Path
from tests.botapi.sandbox import outside
watch = outside.Outside(Path(sys.argv[1]))
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
os.wait()
found = outside.descendants()
print(len(found))
os.kill(int(found[0].split()[0]), 9)
"""


def test_a_process_that_cut_all_ties_is_found(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEAVING, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=CHECKOUT,
    )
    assert done.stdout == "1\n", done.stderr


def test_files_that_came_went_or_changed_are_named(tmp_path: Path) -> None:
    for name in ("stays", "goes", "changes", "touched"):
        (tmp_path / name).write_text(name)
    watch = outside.Outside.__new__(outside.Outside)
    watch.work = tmp_path
    before = watch.files()
    (tmp_path / "goes").unlink()
    (tmp_path / "comes").symlink_to("/etc/passwd")
    (tmp_path / "changes").write_text("CHANGES")
    os.utime(tmp_path / "touched")
    found = {Path(path).name for path in outside.differences(before, watch.files())}
    assert found == {"goes", "comes", "changes", "touched", tmp_path.name}


def test_sockets_and_processes_of_a_user_are_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = f":{server.getsockname()[1]:04X} "
        assert any(port in found for found in outside.sockets_of({os.getuid()}))
    child = subprocess.Popen(["sleep", "60"])
    try:
        assert any(found.startswith(f"{child.pid} ") for found in outside.processes_of({os.getuid()}))
    finally:
        child.kill()
        child.wait()


def test_a_bot_that_lives_on_is_found_by_its_limit(kind: Kind, runtime: Runtime, tmp_path: Path) -> None:
    size = (1 << 20) + os.getpid()
    bot = write_bot(tmp_path / "bot", "print('here', flush=True)\ninput()\n")
    with running(bot, kind, runtime, Limits(file_size=size)) as proc:
        read_line(proc)
        assert outside.processes_limited_to(size) == [f"{proc.pid} limited to {size}"]
    assert outside.processes_limited_to(size) == []


def test_the_bots_mark_is_found_where_anybody_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside, "WRITABLE", (tmp_path,))
    (tmp_path / outside.MARK).touch()
    (tmp_path / "somebody's").touch()
    assert outside.files_of(set(), besides=tmp_path / "work") == [str(tmp_path / outside.MARK)]
    assert len(outside.files_of({os.getuid()}, besides=tmp_path / "work")) == 2


def test_the_long_form_plays_the_bots_it_is_told_and_says_so(
    kind: Kind, capsys: pytest.CaptureFixture[str]
) -> None:
    assert long_battery.main(["--rounds", "2", "--json", "--backend", kind, "fork", "persist"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["fine"]
    for form in told["forms"].values():
        assert form == {"bots": 6, "seen": {"fork": "held", "persist": "held"}, "faults": [], "left": []}


def test_the_long_form_fails_on_a_breach_on_leftovers_and_on_a_bot_that_was_harmed() -> None:
    tally = long_battery.Tally()
    tally.add({"bot": "a", "seen": ["held"], "faults": [], "told": ""})
    tally.add({"bot": "a", "seen": ["held"], "faults": ["a breach: /etc/passwd"], "told": "x"})
    tally.add({"bot": "a", "seen": ["held"], "faults": [], "told": ""})
    tally.add({"left": {"victim": "dead", "running": ["7 (python3)"], "changed": ["/bot/main.py"]}})
    assert tally.seen == {"a": "WRONG"}
    assert tally.faults == ["a: a breach: /etc/passwd (x)"]
    assert tally.left == ["running: 7 (python3)", "changed: /bot/main.py", "another bot was harmed"]


def test_a_bot_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refusal:
        long_battery.main(["nobody"])
    assert refusal.value.code == 2
    assert "there is no bot nobody" in capsys.readouterr().err
