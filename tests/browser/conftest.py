"""The running service and the browser before it, once for all browser tests.

Where there is no Chromium the tests are left out and the summary says so; with CI set that is a failure.
"""

from __future__ import annotations

import json
import os
import re
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from ladder.embedded import temporary_home
from tests.browser import chromium
from tests.browser.chromium import Tab
from tests.test_demo import READY, demo, piece, said_until

HERE = Path(__file__).parent
FIRST_MATCHES = 4
PATIENCE_MS = 30_000
LEFT_OUT = "browser tests were left out: no chromium on this machine (on Debian: apt install chromium)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of this folder out where they cannot run; never in CI."""
    ours = [item for item in items if HERE in item.path.parents]
    for item in ours:
        item.add_marker(pytest.mark.e2e)
    if ours and chromium.found() is None and not os.environ.get("CI"):
        items[:] = [item for item in items if item not in ours]
        config.hook.pytest_deselected(items=ours)
        config.stash[_LEFT_OUT] = len(ours)


_LEFT_OUT = pytest.StashKey[int]()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what was left out."""
    if count := config.stash.get(_LEFT_OUT, 0):
        terminalreporter.write_line(f"{count} {LEFT_OUT}", yellow=True)


@dataclass(frozen=True)
class Service:
    """A running demo: its address, its operator's password, and its process."""

    site: str
    password: str
    pid: int

    def get(self, path: str) -> Any:
        """The JSON at ``path``."""
        with urllib.request.urlopen(self.site + path, timeout=20) as answer:
            return json.load(answer)

    def piece(self, mark: str) -> int:
        """The process id of a part of the demo with ``mark`` in its command line."""
        return piece(self.pid, mark)

    def until(self, holds: Callable[[], bool], what: str, seconds: float = 120) -> None:
        """Wait until something holds; asked seldom enough for the limits of the API."""
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, f"not within {seconds:.0f} s: {what}"
            time.sleep(1.5)


@pytest.fixture(scope="package")
def service() -> Iterator[Service]:
    """The demo, from nothing to its first finished matches."""
    with temporary_home() as home, demo(home) as process:
        said = said_until(process, READY)
        address, password = re.search(r"site +(\S+)/\n", said), re.search(r"operator / (\S+)", said)
        assert address and password, said  # noqa: PT018 - one sentence of the console
        running = Service(address[1], password[1], process.pid)

        def played() -> bool:
            return len(running.get("/api/v1/matches/?state=finished")["results"]) >= FIRST_MATCHES

        running.until(played, "the first finished matches", seconds=300)
        yield running


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The distribution's Chromium."""
    assert chromium.found(), "no chromium on this machine; on Debian: apt install chromium"
    with chromium.running() as browser:
        yield browser


@pytest.fixture
def person(browser: Browser, service: Service) -> Iterator[Callable[..., Tab]]:
    """``person(**context)``: a fresh browser profile with one tab; nothing may have gone wrong in it at the end."""
    tabs: list[Tab] = []

    def sit_down(**context: Any) -> Tab:
        given = {"viewport": chromium.DESKTOP, "locale": "en-GB", "reduced_motion": "reduce", **context}
        page = browser.new_context(**given).new_page()
        page.set_default_timeout(PATIENCE_MS)
        tabs.append(Tab(page, service.site))
        return tabs[-1]

    yield sit_down
    complaints = [text for tab in tabs for text in tab.unexpected()]
    for tab in tabs:
        tab.page.context.close()
    assert complaints == []


@pytest.fixture
def tab(person: Callable[..., Tab]) -> Tab:
    """One person at a desktop."""
    return person()
