"""A sandboxed process: what passes, stopping, meters, causes, and the end of everything."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from botapi.errors import PlatformError
from botapi.sandbox import Cause, Kind, Limits, Runtime, cpu_seconds
from tests.botapi.sandbox.running import read_all, read_line, running, state, wait_until, write_bot

CHECKOUT = Path(__file__).resolve().parents[3]
ORDINARY = CHECKOUT / "tests" / "bots" / "ordinary"
ECHO = "import sys\nfor line in sys.stdin:\n    print('heard', line.strip())\n"
SPIN = "print('begin')\nwhile True:\n    pass\n"


def test_an_ordinary_bot_can_do_what_ordinary_bots_do(kind: Kind, runtime: Runtime, tmp_path: Path) -> None:
    others = {name: (ORDINARY / name.replace("__", ".")).read_text() for name in ("friend__py", "table__txt")}
    bot = write_bot(tmp_path / "bot", (ORDINARY / "zoo.py").read_text(), **others)
    bot.chmod(0o755)
    with contextlib.closing(sqlite3.connect(bot / "book.db")) as book, book:
        book.execute("create table t (a)")
        book.executemany("insert into t values (?)", [(20,), (22,)])
    (bot / "book.db").chmod(0o444)
    with running(bot, kind, runtime) as proc:
        answer = read_all(proc.stdout)
        errors = read_all(proc.stderr)
    assert answer == b'{"checked": 36, "failed": {}}\n', (answer, errors)


def test_lines_go_in_and_come_out_without_the_bot_flushing(
    kind: Kind, runtime: Runtime, tmp_path: Path
) -> None:
    with running(write_bot(tmp_path / "bot", ECHO), kind, runtime) as proc:
        for number in range(3):
            os.write(proc.stdin, f"{number}\n".encode())
            assert read_line(proc) == f"heard {number}".encode()
        assert not any(os.get_blocking(fd) for fd in (proc.stdin, proc.stdout, proc.stderr))


def test_a_frozen_bot_does_nothing_until_it_is_let_go(kind: Kind, runtime: Runtime, tmp_path: Path) -> None:
    with running(write_bot(tmp_path / "bot", SPIN), kind, runtime) as proc:
        read_line(proc)
        proc.freeze()
        assert wait_until(lambda: state(proc.pid) == "T")
        before = proc.usage()
        time.sleep(0.15)
        assert proc.usage().cpu_ns - before.cpu_ns < 1_000_000
        proc.thaw()
        assert wait_until(lambda: proc.usage().cpu_ns - before.cpu_ns > 5_000_000)


def test_processor_time_counts_every_thread(kind: Kind, runtime: Runtime, tmp_path: Path) -> None:
    source = (
        "import threading, hashlib\n"
        "t = threading.Thread(target=lambda: hashlib.pbkdf2_hmac('sha256', b'', b'', 400000))\n"
        "t.start(); t.join(); print('done'); input()\n"
    )
    with running(write_bot(tmp_path / "bot", source), kind, runtime) as proc:
        read_line(proc)
        assert proc.usage().cpu_ns > 60_000_000
        main_thread = int(Path(f"/proc/{proc.pid}/schedstat").read_text().split()[0])
        assert proc.usage().cpu_ns > main_thread


BURNS = """
import sys, time
for line in sys.stdin:
    until = time.process_time() + 0.25
    while time.process_time() < until:
        pass
    print("done", flush=True)
"""


def test_waiting_for_a_core_that_others_use_is_not_the_bots_time(
    kind: Kind, runtime: Runtime, tmp_path: Path
) -> None:
    core = min(os.sched_getaffinity(0))
    spin = f"import os\nos.sched_setaffinity(0, {{{core}}})\nos.nice(5)\nprint('on', flush=True)\nwhile True: pass\n"
    others = [subprocess.Popen([sys.executable, "-c", spin], stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for other in others:
            assert other.stdout is not None
            assert other.stdout.readline() == b"on\n"
        with running(write_bot(tmp_path / "bot", BURNS), kind, runtime) as proc:
            os.write(proc.stdin, b"\n")
            read_line(proc)
            os.sched_setaffinity(proc.pid, {core})
            before, began = proc.usage(), time.monotonic_ns()
            os.write(proc.stdin, b"\n")
            read_line(proc)
            wall_ns, after = time.monotonic_ns() - began, proc.usage()
    finally:
        for other in others:
            other.kill()
            other.communicate()
    cpu_ns, delay_ns = after.cpu_ns - before.cpu_ns, after.delay_ns - before.delay_ns
    assert cpu_ns >= 240_000_000
    assert delay_ns > 0.25 * wall_ns
    # what is left of the wall once the waiting is taken off is what it computed, whatever the others do
    assert cpu_ns * 0.95 <= wall_ns - delay_ns < 0.75 * wall_ns


@pytest.mark.parametrize(
    ("source", "cause", "detail"),
    [
        ("1/0", Cause.EXITED, "it exited with status 1"),
        ("raise SystemExit(3)", Cause.EXITED, "it exited with status 3"),
        ("import os; os._exit(97)", Cause.EXITED, "it exited with status 97"),
        ("x = bytes(1 << 40)", Cause.MEMORY, "it ran out of memory"),
        ("import signal; signal.raise_signal(11)", Cause.SIGNAL, "it was ended by signal SIGSEGV"),
        ("import ctypes; ctypes.CDLL(None).unshare(0x10000000)", Cause.FORBIDDEN, "forbidden operation"),
    ],
)
def test_the_end_of_a_bot_has_a_cause(
    kind: Kind, runtime: Runtime, tmp_path: Path, source: str, cause: Cause, detail: str
) -> None:
    with running(write_bot(tmp_path / "bot", source), kind, runtime) as proc:
        read_all(proc.stdout)
        ending = proc.ending()
        assert ending.cause is cause
        assert detail in ending.detail
        assert proc.cause() == ending.detail
        proc.freeze()
        proc.thaw()


def test_a_traceback_begins_with_the_bots_own_line(kind: Kind, runtime: Runtime, tmp_path: Path) -> None:
    with running(write_bot(tmp_path / "bot", "def f():\n    1/0\nf()\n"), kind, runtime) as proc:
        told = read_all(proc.stderr).decode()
    assert told.startswith("Traceback")
    assert "shim" not in told
    assert "main.py" in told
    assert "1/0" in told


def test_a_failure_of_the_sandbox_is_ours_and_not_the_bots(kind: Kind, tmp_path: Path) -> None:
    runtime = Runtime()
    runtime.inner.chmod(0o644)
    runtime.inner.write_bytes(b"\x06\0\0\0\0\0\xff\x7f")
    with running(write_bot(tmp_path / "bot", "print('ran')"), kind, runtime) as proc:
        assert read_all(proc.stdout) == b""
        with pytest.raises(PlatformError, match="the filter is damaged"):
            proc.cause()
    runtime.close()


def test_a_failure_of_the_shim_is_ours_whatever_its_type_is_called(kind: Kind, tmp_path: Path) -> None:
    """The byte by which the shim says that the bot runs is an R, as in RuntimeError."""
    runtime = Runtime()
    runtime.shim.chmod(0o644)
    whole = runtime.shim.read_text()
    runtime.shim.write_text(
        whole.replace("program = own(", "raise RuntimeError('no luck')\n        program = own(")
    )
    with running(write_bot(tmp_path / "bot", "print('ran')"), kind, runtime) as proc:
        assert read_all(proc.stdout) == b""
        with pytest.raises(PlatformError, match=r", RuntimeError: no luck$"):
            proc.cause()
    runtime.close()


def test_a_bot_imports_nothing_that_the_machine_has_installed_for_itself(
    kind: Kind, runtime: Runtime, tmp_path: Path
) -> None:
    source = (
        "import builtins, sys\nprint(*[path for path in sys.path if 'packages' in path])\n"
        "print(all(hasattr(builtins, name) for name in ('exit', 'quit', 'help', 'license')), flush=True)\nexit(5)\n"
    )
    with running(write_bot(tmp_path / "bot", source), kind, runtime) as proc:
        assert read_all(proc.stdout) == b"\nTrue\n"
        assert proc.ending().detail == "it exited with status 5"


def test_a_bot_directory_without_a_main_is_our_failure(kind: Kind, runtime: Runtime, tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match="did not start"), running(tmp_path, kind, runtime):
        pass


def test_kill_ends_a_bot_in_any_state_and_may_be_called_twice(
    kind: Kind, runtime: Runtime, tmp_path: Path
) -> None:
    bot = write_bot(tmp_path / "bot", SPIN)
    for frozen in (False, True):
        with running(bot, kind, runtime) as proc:
            read_line(proc)
            pid = proc.pid
            assert pid
            if frozen:
                proc.freeze()
            proc.kill()
            assert state(pid) == ""
            proc.kill()
            assert proc.ending().cause is Cause.ENDED
            assert proc.usage().cpu_ns > 0
    with running(bot, kind, runtime) as proc:
        proc.kill()


def test_no_descriptor_of_the_host_is_left_over(kind: Kind, runtime: Runtime, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bot", ECHO)
    before = sorted(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with running(bot, kind, runtime) as proc:
            os.write(proc.stdin, b"a\n")
            read_line(proc)
            proc.freeze()
    assert sorted(os.listdir("/proc/self/fd")) == before


_HOST = """
import os, sys, time
from pathlib import Path
from botapi.sandbox import Limits, Runtime, spawn
runtime = Runtime(Path(sys.argv[3]))
print("ready", flush=True)
procs = [spawn(Path(sys.argv[2]), Limits(file_size=int(sys.argv[4])), backend=sys.argv[1], runtime=runtime) for _ in range(2)]
time.sleep(60)
"""


def test_the_death_of_the_host_is_the_death_of_its_bots(kind: Kind, runtime: Runtime, tmp_path: Path) -> None:
    bot = runtime.bot(write_bot(tmp_path / "bot", "import time\ntime.sleep(60)\n"))
    for number, after_s in enumerate((0.0, 0.002, 0.01, 0.03, 0.25)):
        mark = (1 << 20) + os.getpid() + 1_000_000 * (1 + number) + 100_000_000 * (kind == "bwrap")
        host = subprocess.Popen(
            [sys.executable, "-c", _HOST, kind, str(bot), str(runtime.path), str(mark)],
            stdout=subprocess.PIPE,
            cwd=CHECKOUT,
        )
        assert host.stdout is not None
        host.stdout.readline()
        time.sleep(after_s)
        host.send_signal(signal.SIGKILL)
        host.wait()
        host.stdout.close()
        # one that bubblewrap forgot in that instant ends when the next host begins
        if not wait_until(lambda mark=mark: not _marked(mark), wait_s=1):
            assert kind == "bwrap"
            assert after_s < 0.25
            Runtime(runtime.path)
        assert wait_until(lambda mark=mark: not _marked(mark)), _marked(mark)


def _marked(mark: int) -> list[bytes]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if b'"FSIZE": %d' % mark in line:
                found.append(line)
    return found


_ORPHANS = """
import os, sys, time
from pathlib import Path
from botapi.sandbox import Limits, Runtime, spawn
from botapi.sandbox.proc import adopt_orphans
adopt_orphans()
runtime = Runtime(Path(sys.argv[3]))
for frozen in (False, True, None, False, True, None):
    proc = spawn(Path(sys.argv[2]), Limits(), backend=sys.argv[1], runtime=runtime)
    assert proc.pid
    if frozen:
        proc.freeze()
    if frozen is None:
        os.write(proc.stdin, b"\\n")
        proc.ending(20)
    proc.close()
time.sleep(0.2)
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("none")
"""


def test_an_ended_bot_leaves_no_zombie(kind: Kind, runtime: Runtime, tmp_path: Path) -> None:
    bot = runtime.bot(write_bot(tmp_path / "bot", "input()"))
    argv = [sys.executable, "-c", _ORPHANS, kind, str(bot), str(runtime.path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=CHECKOUT)
    assert done.stdout == "none\n", done.stderr


def test_limits_are_checked() -> None:
    assert Limits.from_mapping({"cpu_s": 5}) == Limits(cpu_s=5)
    for wrong in ({"cpu": 5}, {"cpu_s": 0}, {"cpu_s": "5"}, {"files": True}, {"threads": -1}, {"stack": 1.5}):
        with pytest.raises(ValueError, match="limit"):
            Limits.from_mapping(wrong)


def test_processor_time_of_a_match_is_twice_what_its_clocks_allow() -> None:
    assert cpu_seconds(deal_limit=100, act_ms=200, bank_ms=60_000, start_ms=10_000) == 940
