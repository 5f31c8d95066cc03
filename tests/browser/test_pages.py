"""Every page, as wide as a phone and a desktop, in five languages: nobody scrolls sideways and nobody is shut out."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import ViewportSize

from tests.browser import chromium
from tests.browser.addresses import everyones, members, signed_in
from tests.browser.chromium import DESKTOP, PHONE, Tab
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


def look_at(tab: Tab, addresses: list[str], *sizes: ViewportSize, colours: bool = True) -> list[str]:
    """Open every page, look at it in each size; a line for each thing that is wrong.

    ``colours``: see :func:`chromium.shut_out`.
    """
    script, wrong = chromium.axe_source(), []
    for address in addresses:
        tab.expected = ("404",) if address == "/no-such-page/" else ()
        tab.page.set_viewport_size(sizes[0])
        tab.open(address)
        for size in sizes:
            tab.page.set_viewport_size(size)
            found = chromium.sideways(tab.page) + chromium.shut_out(tab.page, script, colours=colours)
            found += tab.unexpected()
            wrong += [f"{address} at {size['width']}: {line}" for line in found]
            tab.forget()
    return wrong


@pytest.mark.timeout(900)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_fits_and_is_open_to_everybody(
    service: Service, person: Callable[..., Tab], language: str
) -> None:
    sizes = (PHONE, DESKTOP) if language == "en" else (PHONE,)
    tab = person(viewport=PHONE)
    speak(tab, language)
    addresses, colours = everyones(service), language == "en"
    wrong = look_at(tab, addresses, *sizes, colours=colours)
    signed_in(tab)
    wrong += look_at(tab, members(), *sizes, colours=colours)
    assert wrong == []
