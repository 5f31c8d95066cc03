"""What all tests share."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import celery
import pytest
from django.conf import settings as given
from django.utils import translation
from pytest_django import Settings

from botapi.sandbox import DEFAULT_PYTHON, Packages
from botapi.sandbox.interpreter import examine
from botapi.sandbox.packages.build import build
from botapi.sandbox.places import packages_directory, runtime_directory
from tests.emptying import empty_quickly
from tests.plugin import OWN_SERVER
from tests.schema import Schema


def pytest_collection_finish() -> None:
    """What thousands of collected tests hold stays to the end: the collector need not look at it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def _schema(pytestconfig: pytest.Config) -> Schema | None:
    """The kept schema; none on a server of your own, where the wheel's programs may be too old or too new."""
    cache = pytestconfig.cache
    return None if OWN_SERVER or cache is None else Schema(cache.mkdir("schema"))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None, _schema: Schema | None) -> None:
    if _schema:
        _schema.load()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, _schema: Schema | None) -> None:
    if _schema:
        _schema.keep()


@pytest.fixture(autouse=True, scope="session")
def _emptied_quickly() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        empty_quickly(patched)
        yield


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    """A request leaves its language behind in the thread; the next test begins in English again."""
    with translation.override("en"):
        yield


@pytest.fixture(autouse=True)
def _quick_passwords(settings: Settings) -> None:
    """Passwords are hashed a million times in earnest; no test is about that."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session")
def bots_packages() -> Packages:
    """The packages that uploaded bots have, built where the settings look for them."""
    runtime_directory(given.SANDBOX_RUNTIME)
    place = packages_directory(given.SANDBOX_PACKAGES, given.SANDBOX_RUNTIME)
    assert place, "SANDBOX_PACKAGES=off: the tests need the packages for bots"
    return build(place, examine(DEFAULT_PYTHON))


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
