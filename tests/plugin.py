"""Real PostgreSQL and a real Redis-compatible server for the whole test run.

Named in ``addopts`` because pytest-django reads the settings before any conftest (stack.md, trap 7).
"""

from __future__ import annotations

import os
import shutil

import pytest

from ladder import embedded

_HOME = embedded.temporary_home()
_SERVERS, _ADDRESSES = embedded.start(_HOME, fast=True)
os.environ.update(_ADDRESSES)
os.environ.setdefault("DEBUG", "1")
os.environ.setdefault("BOT_ENDPOINTS_ALLOW_PRIVATE", "1")
os.environ.setdefault("EMAIL_BACKEND", "django.core.mail.backends.locmem.EmailBackend")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers and remove their data."""
    for server in _SERVERS:
        server.stop()
    shutil.rmtree(_HOME, ignore_errors=True)
