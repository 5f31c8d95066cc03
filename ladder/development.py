"""The checkout as a running service: its state in ``.run``, the environment of its processes, its servers.

``python -m ladder.development ARGUMENT ...`` is ``manage.py`` on the demo's data, beside a running
demo or without one. Nothing here is for production, where the environment is the operator's.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from ladder import embedded
from ladder.program import ProgramError
from ladder.supervisor import Supervisor

CHECKOUT = Path(__file__).resolve().parent.parent
STATE = Path(os.environ.get("THOUSAND_STATE") or CHECKOUT / ".run").resolve()
LOGS = STATE / "logs"
MANAGE = (sys.executable, str(CHECKOUT / "manage.py"))


class AlreadyRunning(Exception):  # noqa: N818 - a fact about the checkout, not a fault
    """Another process of this checkout holds ``.run``."""


@contextlib.contextmanager
def sole_use() -> Iterator[None]:
    """Hold ``.run`` for this process; raises AlreadyRunning. The kernel lets go of it even after kill -9."""
    STATE.mkdir(exist_ok=True)
    with (STATE / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning from None
        yield


def _private(path: Path) -> IO[str]:
    """A file for this user's eyes, empty and open for writing."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w")


def write_private(path: Path, values: Mapping[str, str]) -> None:
    """Write JSON that nobody else can read, whole or not at all."""
    fresh = path.with_name(f"{path.name}.new")
    with _private(fresh) as file:
        json.dump(dict(values), file)
    fresh.replace(path)


def read_private(path: Path) -> dict[str, str]:
    """What ``write_private`` wrote; empty if it never did."""
    return dict(json.loads(path.read_text())) if path.exists() else {}


def kept_secrets() -> dict[str, str]:
    """Keys and passwords of this checkout, made at the first start and the same ever after."""
    path = STATE / "secrets.json"
    kept = read_private(path)
    if not kept:
        kept = {
            "SECRET_KEY": secrets.token_urlsafe(40),
            "SECRETS_KEY": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
            "operator_password": secrets.token_urlsafe(12),
        }
        write_private(path, kept)
    return kept


def setting_names() -> list[str]:
    """The name of every setting, from ``.env.example``."""
    return re.findall(r"^#? ?([A-Z][A-Z_]+)=", (CHECKOUT / ".env.example").read_text(), re.MULTILINE)


def environment(addresses: Mapping[str, str]) -> dict[str, str]:
    """What a Django process of the demo gets: development settings, the caller's own, and the servers."""
    kept = kept_secrets()
    own = {name: os.environ[name] for name in (*setting_names(), "TMPDIR") if name in os.environ}
    return {
        "DEBUG": "1",
        "BOT_ENDPOINTS_ALLOW_PRIVATE": "1",
        "EMAIL_VERIFICATION": "0",
        "SECRET_KEY": kept["SECRET_KEY"],
        "SECRETS_KEY": kept["SECRETS_KEY"],
        "DJANGO_SETTINGS_MODULE": "ladder.settings",
        **own,
        **addresses,
    }


def servers(supervisor: Supervisor) -> dict[str, str]:
    """Start the servers on the data in ``.run`` and note their addresses for other commands."""
    addresses = embedded.start(supervisor, STATE)
    write_private(STATE / "servers.json", addresses)
    return addresses


def manage(argv: Sequence[str]) -> int:
    """Run ``manage.py`` beside the running demo, or beside servers that live as long as the command."""
    try:
        with sole_use(), Supervisor().in_charge() as supervisor:
            return _manage(argv, servers(supervisor))
    except AlreadyRunning:
        return _manage(argv, read_private(STATE / "servers.json"))


def _manage(argv: Sequence[str], addresses: Mapping[str, str]) -> int:
    # Ctrl-C is the command's own business. A handler, not SIG_IGN, which the command would inherit.
    signal.signal(signal.SIGINT, lambda _number, _frame: None)
    return subprocess.run(
        (*MANAGE, *argv), env={**os.environ, **environment(addresses)}, check=False
    ).returncode


if __name__ == "__main__":
    try:
        sys.exit(manage(sys.argv[1:]))
    except ProgramError as error:
        sys.exit(str(error))
