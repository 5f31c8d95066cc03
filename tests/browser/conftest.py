"""The running service and the browser before it, once for all browser tests.

Where there is no Chromium the tests are left out and the summary says so; with CI set that is a failure.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, StorageState

from tests.browser import chromium, organising
from tests.browser.addresses import CHECKED_MS, STARTER, signed_in, submitted
from tests.browser.chromium import Tab
from tests.browser.service import Service, started

HERE = Path(__file__).parent
PATIENCE_MS = 30_000
LEFT_OUT = f"browser tests were left out: {chromium.MISSING}"


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


@pytest.fixture(scope="package")
def service() -> Iterator[Service]:
    """The demo, from nothing to its first finished matches; then nothing new is begun unless a test asks for it.

    Matches of the season are not even made when the service goes on: they would take the machine from those who look.
    """
    with started() as service:
        service.ask_for(0)
        service.hold()
        yield service


@pytest.fixture
def going_on(service: Service) -> Iterator[None]:
    """The service begins new things for as long as the test runs."""
    with service.going_on():
        yield


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The distribution's Chromium."""
    assert chromium.found(), chromium.MISSING
    with chromium.running() as browser:
        yield browser


@dataclass(frozen=True)
class Insider:
    """Somebody with an account who has a bot and organises an event: the browser's memory of the login, and both names."""

    state: StorageState
    bot: str
    event: str


@pytest.fixture(scope="package")
def insider(browser: Browser, service: Service) -> Insider:
    """Made by the pages, once."""
    tabs = [Tab(browser.new_page(locale="en-GB"), service.site) for _ in range(2)]
    own, operator = tabs
    organising.make_organiser(operator, service, signed_in(own))
    with service.going_on():
        bot = submitted(own, "main.py", STARTER)
        own.page.get_by_text("Passed", exact=False).first.wait_for(timeout=CHECKED_MS)
    event = organising.drafted(own, "Autumn cup", rules="pl-3", bots={"greedy": "challenger"})
    made = Insider(own.page.context.storage_state(), bot, event)
    for tab in tabs:
        tab.page.context.close()
    return made


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
