"""Each sandbox of a host that is root has a user of its own, and its bot's files as long as it plays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from botapi.sandbox import Kind, Runtime, runtime
from botapi.sandbox.slots import Slots
from tests.botapi.sandbox.running import read_line, running, write_bot

CHECKOUT = Path(__file__).resolve().parents[3]
HOLDER = """
import sys
from pathlib import Path
from botapi.sandbox.slots import Slots
slots = Slots(Path(sys.argv[1]), first=400_000, count=3)
print(slots.take(), slots.take(), flush=True)
sys.stdin.readline()
"""


def test_no_two_hosts_give_the_same_user_id_and_a_killed_one_gives_its_ids_back(tmp_path: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT,
    )  # fmt: skip
    assert other.stdout is not None
    theirs = {int(word) for word in other.stdout.readline().split()}
    ours = Slots(tmp_path, first=400_000, count=3)
    last = ours.take()
    assert {last} | theirs == {400_000, 400_001, 400_002}
    with pytest.raises(OSError, match="all user ids for sandboxes are taken"):
        ours.take()
    other.kill()
    other.communicate()
    assert {ours.take(), ours.take()} == theirs
    ours.free(last)
    assert ours.take() == last


def test_sandboxes_of_two_hosts_that_run_at_once_have_users_of_their_own(kind: Kind, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", "import os\nprint(os.getpid(), flush=True)\ninput()\n")
    first, second = Runtime(), Runtime()
    try:
        with running(bot, kind, first) as one, running(bot, kind, second) as other:
            read_line(one)
            read_line(other)
            uids = [Path(f"/proc/{proc.pid}").stat().st_uid for proc in (one, other)]
            statuses = [Path(f"/proc/{proc.pid}/status").read_text() for proc in (one, other)]
        real = [text.partition("Uid:")[2].split()[0] for text in statuses]
        assert os.geteuid() != 0 or len({*real}) == 2, (uids, real)
    finally:
        first.close()
        second.close()


def test_the_copy_of_a_bot_that_plays_is_not_taken_away_for_others(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "KEPT_BOTS", 2)
    host = Runtime()
    source = "print('here', flush=True)\ninput()\nimport later\nprint(later.VALUE)\n"
    bot = write_bot(tmp_path / "bot", source, later__py="VALUE = 7\n")
    try:
        with running(bot, kind, host) as proc:
            assert read_line(proc) == b"here"
            others = [host.bot(write_bot(tmp_path / f"other-{number}", "pass\n")) for number in range(4)]
            os.write(proc.stdin, b"\n")
            assert read_line(proc) == b"7"
        if host.privileged:
            assert [path.exists() for path in others] == [False, False, True, True]
    finally:
        host.close()
