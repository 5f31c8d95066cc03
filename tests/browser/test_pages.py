"""Every page, as wide as a phone and a desktop, in five languages: nobody scrolls sideways and nobody is shut out."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import ViewportSize

from tests.browser import chromium
from tests.browser.addresses import everyones, members, signed_in
from tests.browser.chromium import Tab
from tests.browser.service import Service

LANGUAGES = ("en", "pl", "cs", "ru", "nl")


def speak(tab: Tab, language: str) -> None:
    """Choose the language as people do: by the form at the foot of every page."""
    tab.open("/ratings/")
    foot = tab.page.locator(f"footer button[value='{language}']")
    if foot.count():
        foot.click()
    else:
        tab.page.locator("footer select").select_option(language)
        tab.page.locator("footer form button").click()
    tab.page.wait_for_load_state("load")
    assert tab.page.locator("html").get_attribute("lang") == language


def faults_of(tab: Tab, script: str) -> list[str]:
    """What is wrong with the page in this window."""
    return [*chromium.sideways(tab.page), *chromium.shut_out(tab.page, script), *tab.unexpected()]


def look_at(tab: Tab, addresses: list[str], *sizes: dict[str, int]) -> list[str]:
    """Open every page, look at it in each size; a line for each thing that is wrong."""
    script, wrong = chromium.axe_source(), []
    for address in addresses:
        tab.forget()
        tab.expected = ("404",) if address == "/no-such-page/" else ()
        tab.page.set_viewport_size(sizes[0])
        tab.open(address)
        for size in sizes:
            tab.page.set_viewport_size(size)
            wrong += [f"{address} at {size['width']}: {line}" for line in faults_of(tab, script)]
            tab.forget()
    return wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_fits_and_is_open_to_everybody(
    service: Service, person: Callable[..., Tab], language: str
) -> None:
    sizes = (chromium.PHONE, chromium.DESKTOP) if language == "en" else (chromium.PHONE,)
    tab = person(viewport=chromium.PHONE)
    speak(tab, language)
    wrong = look_at(tab, everyones(service), *sizes)
    signed_in(tab)
    wrong += look_at(tab, members(), *sizes)
    assert wrong == []


def test_every_page_is_as_open_to_everybody_in_the_dark(service: Service, person: Callable[..., Tab]) -> None:
    tab = person(viewport=chromium.DESKTOP, color_scheme="dark")
    assert look_at(tab, everyones(service), chromium.DESKTOP) == []
