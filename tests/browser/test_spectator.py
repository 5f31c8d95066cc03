"""A spectator's way: from the ladder to a trick of a replay, and back to it by its link."""

from __future__ import annotations

from collections.abc import Callable

from tests.browser.chromium import PHONE, Tab


def test_from_the_ladder_to_trick_5_of_deal_3_and_back_by_link(person: Callable[..., Tab]) -> None:
    tab = person(viewport=PHONE)
    page = tab.open("/ladder/").page
    page.locator("main table a[href^='/bots/']").first.click()
    page.wait_for_url("**/bots/**")
    page.locator("main a[href^='/matches/']:not([href*='?'])").first.click()
    page.wait_for_url("**/matches/**")
    address = page.url.split("#")[0]

    page.goto(f"{address}#d3t5s1")
    deal = page.locator("#d3")
    deal.wait_for()
    assert page.locator("#d3t5s1, #d3t5").first.count()
    link = page.evaluate("location.href")
    page.goto("about:blank")
    page.goto(link)
    page.locator("#d3").wait_for(state="visible")
    assert page.url.endswith("#d3t5s1")
