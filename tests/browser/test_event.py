"""Events from their creation to their published results, by the pages that people see, in the three formats."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser import organising, playing
from tests.browser.addresses import speak
from tests.browser.chromium import PHONE, Tab, look_at_it
from tests.browser.conftest import Insider
from tests.browser.service import Service

pytestmark = pytest.mark.usefixtures("going_on")


@pytest.fixture
def organiser(insider: Insider, person: Callable[..., Tab]) -> Tab:
    """A person with the organiser's role, in English."""
    tab = person(storage_state=insider.state)
    speak(tab.open("/events/"), "en")
    return tab


def look_in(*languages: str) -> Callable[[Tab], None]:
    """Look at the page that is open in English and in these languages, each format of an event in others."""

    def look(tab: Tab) -> None:
        look_at_it(tab)
        for language in languages:
            speak(tab, language)
            look_at_it(tab)
        speak(tab, "en")

    return look


def withdraw(player: Tab, slug: str) -> None:
    """Leave the event for good."""
    player.open(f"/events/{slug}/")
    player.page.locator("summary", has_text="Withdraw from the event").click()
    player.page.get_by_role("button", name="Withdraw for good").click()
    player.page.get_by_text("You take no part any more").wait_for()


def test_an_open_event_is_made_played_and_published(
    service: Service, organiser: Tab, person: Callable[..., Tab]
) -> None:
    player, reader, look = person(viewport=PHONE), person(viewport=PHONE), look_in("pl", "nl")
    bots = {"greedy": "challenger", "counter": "opponent"}
    wish = {"places": "2", "blocks": "1", "deals": "1"}
    slug = organising.drafted(organiser, "Evening cup", rules="cz-3-short", bots=bots, **wish)
    organising.begun(organiser, slug, {"Zofia": player}, look)
    look(reader.open(f"/events/{slug}/"))

    player.page.get_by_role("button", name="Play the next block").click(timeout=organising.BEGUN_MS)
    match = organising.brought_to_table(player)
    assert organiser.page.request.get(f"{service.site}/matches/{match}/").status == 404
    playing.play_on(player.page)
    look_at_it(player)

    organising.published(organiser, service, slug)
    look(organiser)
    look(reader.open(f"/events/{slug}/"))
    page = organiser.page
    assert page.get_by_role("rowheader", name="Zofia").is_visible()
    page.get_by_role("link", name=str(match), exact=True).click()
    page.wait_for_url(f"**/matches/{match}/")


def test_a_team_is_brought_to_its_tables_together_and_sees_its_result(
    service: Service, organiser: Tab, person: Callable[..., Tab]
) -> None:
    players, look = {"Adam": person(viewport=PHONE), "Beata": person(viewport=PHONE)}, look_in("cs")
    wish = {"format": "team", "places": "2", "blocks": "1", "deals": "1"}
    slug = organising.drafted(organiser, "Pairs", rules="pl-2", bots={"greedy": "challenger"}, **wish)
    organising.begun(organiser, slug, players, look)

    tables = {alias: organising.brought_to_table(player) for alias, player in players.items()}
    assert tables["Adam"] != tables["Beata"], "each sits in another seat of the same cards"
    for player in players.values():
        playing.play_on(player.page)

    organising.published(organiser, service, slug)
    assert organiser.page.get_by_role("rowheader", name="Team 1").is_visible()
    look(organiser)


def test_a_show_is_watched_live_and_a_house_bot_plays_on_for_who_withdraws(
    service: Service, organiser: Tab, person: Callable[..., Tab]
) -> None:
    player, spectator = person(), person(viewport=PHONE)
    bots = {"greedy": "challenger", "first": "opponent"}
    wish = {"format": "show", "places": "1", "blocks": "1", "people_at_table": "1"}
    slug = organising.drafted(organiser, "Show", rules="cz-3-short", bots=bots, **wish)
    organising.begun(organiser, slug, {"Celina": player}, look_in("ru"))

    match = organising.brought_to_table(player)
    assert playing.play_on(player.page, 2) == 2
    spectator.open("/live/").page.locator(f"main a[href*='/live/{match}/']").first.click()
    spectator.page.get_by_text("Celina").first.wait_for()
    assert not spectator.page.locator("main [data-hand]").count(), "nobody's cards are shown"
    look_at_it(spectator)
    auction = spectator.page.locator("details[data-keep=auction]")
    auction.locator("summary").click()
    for play in (lambda: playing.play_on(player.page, 3), lambda: withdraw(player, slug)):
        before = spectator.page.locator(".live-table").inner_text()
        play()
        spectator.page.wait_for_function(
            "before => document.querySelector('.live-table').innerText !== before", arg=before
        )
    assert auction.get_attribute("open") is not None, "what was opened stays open"
    spectator.page.wait_for_function(
        "() => document.querySelector('.live-table').innerText.includes('The deal before')", timeout=120_000
    )
    look_at_it(spectator)

    organiser.open(f"/events/{slug}/organise/")
    organiser.page.locator("summary", has_text="Cancel the event").click()
    organiser.page.get_by_role("button", name="Cancel it for good").click()
    organiser.open(f"/events/{slug}/").page.get_by_text("cancelled").first.wait_for()
