"""Databases with made histories for benches: servers of the bench's own, which end with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from bench._figures import figure
from ladder import embedded

CHECKOUT = Path(__file__).parent.parent


@contextmanager
def servers() -> Iterator[Mapping[str, str]]:
    """Fresh servers on one core together with this process and those it starts; gives their addresses."""
    own = {name: os.environ.pop(name, None) for name in ("DATABASE_URL", "REDIS_URL")}
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    try:
        with embedded.temporary() as addresses:
            yield addresses
    finally:
        os.environ.update({name: value for name, value in own.items() if value is not None})


def filled(addresses: Mapping[str, str], *, matches: int, bots: int, pool: int) -> dict[str, str]:
    """A database of its own with such a history; the environment of processes that use it."""
    server = addresses["DATABASE_URL"].rpartition("/")[0]
    name = f"filled_{matches}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    environment = {**os.environ, **addresses, "DATABASE_URL": f"{server}/{name}", "DEBUG": "1"}
    manage(environment, "migrate", "-v0")
    wish = ("--matches", matches, "--bots", bots, "--pool", min(pool, matches))
    made = json.loads(manage(environment, "fill", "--json", *map(str, wish)))
    figure(f"fill_{matches}", made["seconds"], "s", matches)
    return environment


def manage(environment: Mapping[str, str], *arguments: str) -> str:
    """What ``manage.py`` says to these arguments."""
    return _output([sys.executable, "manage.py", *arguments], environment)


def probe(environment: Mapping[str, str], module: str, *arguments: str) -> list[dict[str, Any]]:
    """What ``python -m MODULE`` measures with these databases: a dictionary a line."""
    lines = _output([sys.executable, "-m", module, *arguments], environment).splitlines()
    return [json.loads(line) for line in lines]


def _output(command: Sequence[str], environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        command, cwd=CHECKOUT, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout
