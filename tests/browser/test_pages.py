"""Every page, as wide as a phone and a desktop, in five languages: nobody scrolls sideways and nobody is shut out."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import ViewportSize

from tests.browser import chromium, playing
from tests.browser.addresses import everyones, members, speak
from tests.browser.chromium import DESKTOP, PHONE, Tab
from tests.browser.conftest import Insider
from tests.browser.service import Service

LANGUAGES = ("en", "pl", "cs", "ru", "nl")
TURNS = 6
"""Of a person, looked at: the auction, the talon and some tricks."""


def look_at(tab: Tab, addresses: list[str], *sizes: ViewportSize) -> list[str]:
    """Open every page and look at it in each size, in the dark when it is wide; a line for each thing that is wrong."""
    script, wrong = chromium.axe_source(), []
    for address in addresses:
        tab.expected = ("404",) if address == "/no-such-page/" else ()
        tab.page.set_viewport_size(sizes[0])
        tab.open(address)
        for size in sizes:
            tab.page.set_viewport_size(size)
            tab.page.emulate_media(color_scheme="dark" if size == DESKTOP else "light")
            found = chromium.sideways(tab.page) + chromium.shut_out(tab.page, script)
            found += tab.unexpected()
            wrong += [f"{address} at {size['width']}: {line}" for line in found]
            tab.forget()
    return wrong


@pytest.mark.timeout(900)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_fits_and_is_open_to_everybody(
    service: Service, insider: Insider, person: Callable[..., Tab], language: str
) -> None:
    sizes = (PHONE, DESKTOP) if language == "en" else (PHONE,)
    stranger, member = person(viewport=PHONE), person(viewport=PHONE, storage_state=insider.state)
    speak(stranger.open("/ratings/"), language)
    wrong = look_at(stranger, everyones(service), *sizes)
    speak(member.open("/ratings/"), language)
    wrong += look_at(member, members(insider.bot, insider.event), *sizes)
    assert wrong == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("language", "rules"),
    [("en", "pl-4-all"), ("pl", "pl-2"), ("cs", "ru-3"), ("ru", "nl-4"), ("nl", "pl-2-draw")],
)
def test_every_kind_of_table_fits_and_is_open_to_everybody_at_each_turn(
    insider: Insider, person: Callable[..., Tab], language: str, rules: str
) -> None:
    tab = person(viewport=PHONE, storage_state=insider.state)
    speak(tab.open("/play/"), language)
    page = tab.page
    wished = page.locator(f"#choose [name=rules][value={rules}]")
    group = page.locator("#choose details", has=page.locator(f"[value={rules}]"))
    if group.get_attribute("open") is None:
        group.locator("summary").click()
    wished.check(force=True)
    page.locator("#sit-down").click()
    page.wait_for_url("**/tables/*/")
    playing.hurry(page)
    script, wrong = chromium.axe_source(), []
    for _ in range(TURNS):
        assert playing.your_turn(page)
        found = chromium.sideways(page) + chromium.shut_out(page, script)
        wrong += [f"{page.locator('#table').get_attribute('data-phase')}: {line}" for line in found]
        playing.move(page)
    playing.leave(page)
    assert wrong == []
