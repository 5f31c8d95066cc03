"""An event from its creation to its published results, by the pages that people see."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from tests.browser import playing
from tests.browser.addresses import signed_in
from tests.browser.chromium import Tab
from tests.browser.service import Service

pytestmark = pytest.mark.usefixtures("going_on")


def make_organiser(tab: Tab, service: Service, name: str) -> None:
    """The operator gives the role in the admin site."""
    page = tab.page
    tab.open("/admin/login/")
    page.locator("[name=username]").fill("operator")
    page.locator("[name=password]").fill(service.password)
    page.locator("[type=submit]").click()
    tab.open(f"/admin/botapi/user/?q={name}")
    page.locator("#result_list tbody th a").first.click()
    page.locator("[name=is_organiser]").check()
    page.locator("[name=_save]").click()
    page.locator(".messagelist .success").wait_for()


def step(tab: Tab, slug: str, words: str) -> None:
    """Press a button of the organiser's page."""
    tab.open(f"/events/{slug}/organise/")
    tab.page.get_by_role("button", name=words, exact=True).click()
    tab.page.wait_for_load_state("load")


def test_an_event_is_made_played_and_published(service: Service, person: Callable[..., Tab]) -> None:
    operator, organiser, player = person(), person(), person()
    operator.expected = ("Permissions policy", "/admin/")
    name, slug = signed_in(organiser), f"cup-{secrets.token_hex(3)}"
    make_organiser(operator, service, name)

    page = organiser.page
    organiser.open("/events/")
    page.get_by_role("link", name="Make an event").click()
    page.locator("main [name=name]").fill("Evening cup")
    page.locator("[name=slug]").fill(slug)
    page.locator("[name=rules]").select_option("cz-3-short")
    for field, value in (("places", "2"), ("blocks", "1"), ("deals", "1")):
        page.locator(f"[name={field}]").fill(value)
    start = datetime.now(UTC) + timedelta(hours=2)
    page.locator("[name=starts_at]").fill(start.strftime("%Y-%m-%dT%H:%M"))
    page.locator("[name=ends_at]").fill((start + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M"))
    page.get_by_role("button", name="Make the draft").click()
    for bot, role in (("greedy", "challenger"), ("counter", "opponent")):
        page.locator("[name=bot]").fill(bot)
        page.locator("[name=role]").select_option(role)
        page.get_by_role("button", name="Ask for it").click()
    step(organiser, slug, "Open the registration")

    signed_in(player)
    player.open(f"/events/{slug}/")
    player.page.get_by_label("Alias").fill("Zofia")
    for box in ("rules", "consent"):
        player.page.locator(f"[name={box}]").check()
    player.page.get_by_role("button", name="Register").click()
    player.page.get_by_text("You are Zofia").wait_for()
    step(organiser, slug, "Open check-in now")
    player.open(f"/events/{slug}/")
    player.page.get_by_text("The live connection works.").wait_for()
    player.page.get_by_role("button", name="I am here").click()
    player.page.get_by_text("You are checked in", exact=False).first.wait_for()
    step(organiser, slug, "Begin now")

    player.page.get_by_role("button", name="Play the next block").click(timeout=60_000)
    player.page.wait_for_url("**/tables/*/")
    match = playing.table_of(player.page)
    assert organiser.page.request.get(f"{service.site}/matches/{match}/").status == 404
    playing.hurry(player.page)
    playing.play_on(player.page)

    def published() -> bool:
        organiser.open(f"/events/{slug}/")
        return bool(page.get_by_role("heading", name="Results").count())

    service.until(published, "the results of the event")
    assert page.get_by_role("rowheader", name="Zofia").is_visible()
    page.get_by_role("link", name=str(match), exact=True).click()
    page.wait_for_url(f"**/matches/{match}/")
