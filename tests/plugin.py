"""Real PostgreSQL and a real Redis-compatible server for the whole test run.

Named in ``addopts`` because pytest-django reads the settings before any conftest (stack.md, trap 7). The servers start
when this module is imported, once for the session, and die with pytest even if it is killed.
"""

from __future__ import annotations

import contextlib
import os

import pytest

from ladder import embedded
from ladder.supervisor import Supervisor

SERVERS = Supervisor()
"""Has the servers in charge; a test that has ended one calls its ``tend`` until it is there again."""
_RUNNING = contextlib.ExitStack()

OWN_SERVER = bool(os.environ.get("DATABASE_URL"))
"""Whether the tests use a PostgreSQL that was there before."""
os.environ.update(_RUNNING.enter_context(embedded.temporary(SERVERS)))
os.environ.setdefault("DEBUG", "1")
os.environ.setdefault("BOT_ENDPOINTS_ALLOW_PRIVATE", "1")
os.environ.setdefault("EMAIL_BACKEND", "django.core.mail.backends.locmem.EmailBackend")


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """Stop the servers and remove their data."""
    _RUNNING.close()
