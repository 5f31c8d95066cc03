"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import celery
import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def _quick_passwords(settings: Settings) -> None:
    """Passwords are hashed a million times in earnest; no test is about that."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def broker_away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Wake-ups go to a port where nobody listens; afterwards no kept connection remembers it."""
    app: Any = celery.current_app
    with monkeypatch.context() as patched:
        for name in ("broker_url", "broker_read_url", "broker_write_url"):
            patched.setitem(app.conf, name, "redis://127.0.0.1:1/0")
        app._after_fork()
        yield
    app._after_fork()
