"""One runtime for the module's tests; every test of a backend runs in both."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from botapi.sandbox import KINDS, Kind, Runtime
from tests.botapi.sandbox import carrying


@pytest.fixture(scope="session")
def runtime() -> Iterator[Runtime]:
    made = Runtime()
    yield made
    made.close()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    carrying.require(found)
    return found
