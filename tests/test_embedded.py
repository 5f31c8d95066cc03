"""The embedded servers, for real: passwords, restarts, other people's servers, and nothing left after kill -9."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import redis

from ladder import embedded
from ladder.supervisor import Supervisor, children_of

OWNER = """
import sys, time
from ladder import embedded
with embedded.temporary() as addresses:
    print(addresses["DATABASE_URL"], addresses["REDIS_URL"], flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def _no_servers_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name)


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder that PostgreSQL's account can get to, which pytest's own for root is not."""
    with embedded.temporary_home() as home:
        yield home


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    supervisor = Supervisor()
    yield supervisor
    supervisor.stop()


def listens(address: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", urlsplit(address).port or 0)) == 0


def gone(pid: int, seconds: float = 10) -> bool:
    """Whether a process ends in time; a dead one that nobody has collected yet runs no more."""
    deadline = time.monotonic() + seconds
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not _runs(pid)


def _runs(pid: int) -> bool:
    try:
        state = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_both_servers_run_ask_for_a_password_and_leave_nothing_behind() -> None:
    with embedded.temporary() as addresses:
        with psycopg.connect(addresses["DATABASE_URL"]) as connection:
            found = connection.execute("SHOW server_encoding").fetchone()
            assert found == ("UTF8",)
        assert redis.Redis.from_url(addresses["REDIS_URL"]).ping()
        database, broker = (urlsplit(addresses[name]) for name in ("DATABASE_URL", "REDIS_URL"))
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(host="127.0.0.1", port=database.port, user="postgres", password="guess")
        with pytest.raises(redis.AuthenticationError):
            redis.Redis(port=broker.port or 0).ping()
    assert not any(listens(address) for address in addresses.values())


def test_text_is_compared_without_icu_in_the_order_of_its_code_points() -> None:
    with embedded.temporary() as addresses, psycopg.connect(addresses["DATABASE_URL"]) as connection:
        found = connection.execute("SELECT upper('żółć'), 'Z' < 'a'").fetchone()
        assert found == ("ŻÓŁĆ", True)


def test_data_survive_a_restart_on_another_port(supervisor: Supervisor, home: Path) -> None:
    first = embedded.start(supervisor, home)
    with psycopg.connect(first["DATABASE_URL"]) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS n")
    supervisor.stop()
    second = embedded.start(supervisor, home)
    with psycopg.connect(second["DATABASE_URL"]) as connection:
        assert connection.execute("SELECT n FROM kept").fetchone() == (7,)


def test_an_initdb_that_was_killed_is_repeated(supervisor: Supervisor, home: Path) -> None:
    half = embedded.home_for_data(home) / "postgres.new"
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n")
    addresses = embedded.start(supervisor, home)
    psycopg.connect(addresses["DATABASE_URL"]).close()


def test_a_note_of_a_server_long_dead_stops_nobody(supervisor: Supervisor, home: Path) -> None:
    embedded.start(supervisor, home)
    supervisor.stop()
    note = embedded.home_for_data(home) / "postgres" / "postmaster.pid"
    note.write_text(f"{os.getpid()}\n")  # a living process, but no server
    addresses = embedded.start(supervisor, home)
    psycopg.connect(addresses["DATABASE_URL"]).close()


@pytest.mark.parametrize("server", ["DATABASE_URL", "REDIS_URL"])
def test_a_killed_server_comes_back_at_its_address(supervisor: Supervisor, home: Path, server: str) -> None:
    before = set(children_of(os.getpid()))
    addresses = embedded.start(supervisor, home)
    redis.Redis.from_url(addresses["REDIS_URL"]).set("what", "was")
    postgres, valkey = sorted(set(children_of(os.getpid())) - before)
    os.kill(postgres if server == "DATABASE_URL" else valkey, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        supervisor.tend()
        try:
            psycopg.connect(addresses["DATABASE_URL"], connect_timeout=2).close()
            kept = redis.Redis.from_url(addresses["REDIS_URL"]).get("what")
        except (psycopg.OperationalError, redis.ConnectionError):
            time.sleep(0.05)
            continue
        if server == "DATABASE_URL" or kept is None:
            return
    pytest.fail("it did not come back")


def test_servers_of_ones_own_are_used_as_they_are(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    mine = {"DATABASE_URL": "postgresql://me@db/x", "REDIS_URL": "redis://cache/1"}
    for name, value in mine.items():
        monkeypatch.setenv(name, value)
    assert embedded.programs(home) == ([], mine)
    assert not list(home.iterdir())


def test_nothing_runs_on_when_the_owner_is_killed() -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    assert owner.stdout
    addresses = owner.stdout.readline().split()
    servers = children_of(owner.pid)
    assert len(servers) == 2
    owner.kill()
    owner.wait()
    assert all(gone(pid) for pid in servers)
    assert not any(listens(address) for address in addresses)
    with embedded.temporary_home():  # and the next one removes the files
        assert not list(Path(tempfile.gettempdir()).glob(f"{embedded.TEMPORARY}{owner.pid}-*"))


def test_data_of_root_in_a_closed_folder_live_in_an_open_one_the_same_at_each_start(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "ROOTS_PLACE", home)
    tmp_path.chmod(0o700)
    place = embedded.home_for_data(tmp_path / "check out" / ".run")
    assert place == embedded.home_for_data(tmp_path / "check out" / ".run")
    assert place.parent == (home if os.geteuid() == 0 else tmp_path / "check out")


def test_a_command_beside_temporary_servers_keeps_its_exit_status() -> None:
    look = "import os, sys; sys.exit(7 if os.environ['DATABASE_URL'] else 1)"
    done = subprocess.run([sys.executable, "-m", "ladder.embedded", sys.executable, "-c", look], check=False)
    assert done.returncode == 7
