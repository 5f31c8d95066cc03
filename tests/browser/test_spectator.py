"""A spectator's way: from the ladder to a trick of a replay by keys, and back to it by its link, in another browser."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.chromium import PHONE, Tab, look_at_it
from tests.browser.conftest import PATIENCE_MS

STEP = "#stage [data-moments] > section:not([hidden])"


def told(page: Page) -> str:
    """What the step on the stage says."""
    return page.locator(f"{STEP} .told").inner_text()


def leads_to_trick_5(link: Locator) -> bool:
    """Whether deal 3 of the match was played so far: others are conceded or claimed before."""
    steps = link.page.request.get(f"{link.evaluate('one => one.href')}deals/3/steps/")
    return 'data-trick="5"' in steps.text()


def test_from_the_ladder_to_trick_5_of_deal_3_and_back_by_link(person: Callable[..., Tab]) -> None:
    tab = person(viewport=PHONE)
    page = tab.open("/ladder/").page
    page.locator("main table a[href^='/bots/']").first.click()
    page.wait_for_url("**/bots/**")
    matches = page.locator("main tr:has(.badge.good) a[href^='/matches/']:not([href*='?'])").all()
    next(filter(leads_to_trick_5, matches)).click()
    page.wait_for_url("**/matches/**")
    address = page.url.split("#")[0]

    page.locator("#d1 [data-open-deal]").click()
    expect(page.locator("#stage")).to_be_focused()
    for _ in range(2):
        page.keyboard.press("]")
    expect(page.locator("#stage [data-deal-title]")).to_have_text("Deal 3", timeout=PATIENCE_MS)
    while page.locator(STEP).get_attribute("data-trick") != "5":
        page.keyboard.press("ArrowDown")
    assert page.url.startswith(f"{address}#d3t5s")
    look_at_it(tab)
    here, words = page.url, told(page)
    page.keyboard.press("ArrowRight")
    assert told(page) != words
    page.keyboard.press("ArrowLeft")
    assert told(page) == words

    other = person().page
    other.goto(here)
    expect(other.locator(f"{STEP} .told")).to_have_text(words)
    assert other.locator(STEP).get_attribute("data-trick") == "5"
    card = other.locator(f"#{here.rpartition('#')[2]} .card .sr").inner_text().split(",")[0]
    assert other.locator(f"{STEP} .board-seats .chosen .sr", has_text=card).count(), (
        "the card of the table is the one that is chosen here"
    )
