"""A person at a table: a whole short game by keyboard only, two tabs, and a service that is killed in mid-deal."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from tests.browser import playing
from tests.browser.chromium import PHONE, Tab
from tests.browser.conftest import PATIENCE_MS
from tests.browser.service import Service


def sit_down(tab: Tab) -> None:
    """From the front page to a table, by keyboard."""
    tab.open("/play/")
    playing.walk_to(tab.page, "#play-now")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_url("**/tables/*/")
    playing.hurry(tab.page)


def test_a_person_plays_a_whole_short_game_by_keyboard_only(person: Callable[..., Tab]) -> None:
    tab = person(viewport=PHONE)
    sit_down(tab)
    page = tab.page
    assert playing.your_turn(page)
    assert "Your turn" in page.locator("#assertive").inner_text()
    assert playing.play_on(page) > 20
    outcome = page.locator("#outcome")
    assert outcome.locator("tbody").first.locator("tr").count() == 3
    assert page.locator("#assertive").inner_text() == outcome.locator("h2").first.inner_text()
    outcome.get_by_role("link", name="See the replay").click()
    page.wait_for_url("**/matches/*/")


def test_cards_that_cannot_be_played_say_why(tab: Tab) -> None:
    sit_down(tab)
    page = tab.page
    for _ in range(60):
        assert playing.your_turn(page)
        dimmed = page.locator("#hand .card-button[data-reason]")
        if dimmed.count() and playing.shows(page, "#table[data-phase=play]"):
            break
        playing.move(page)
    reason = dimmed.first.get_attribute("data-reason")
    assert reason
    dimmed.first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("said => document.getElementById('polite').textContent.includes(said)", arg=reason)


def test_the_same_seat_in_two_tabs_takes_one_answer(tab: Tab) -> None:
    sit_down(tab)
    first = tab.page
    assert playing.your_turn(first)
    second = first.context.new_page()
    second.goto(first.url)
    assert playing.your_turn(second)
    question = first.locator("#table").get_attribute("data-question")
    playing.move(second)
    first.wait_for_function(
        "asked => document.getElementById('table').dataset.question !== asked", arg=question, timeout=60_000
    )
    for _ in range(PATIENCE_MS // 500):
        hands = [page.locator("#hand .card-button").count() for page in (first, second)]
        if hands[0] == hands[1]:
            break
        first.wait_for_timeout(500)
    assert hands[0] == hands[1]


@pytest.mark.usefixtures("going_on")
def test_a_killed_service_comes_back_with_the_same_seat_in_the_middle_of_a_deal(
    service: Service, person: Callable[..., Tab]
) -> None:
    tab = person()
    tab.expected = ("ERR_", "for http", "WebSocket", "Failed to load resource", "EventSource")
    sit_down(tab)
    page = tab.page
    while not playing.shows(page, "#table[data-phase=play][data-your-turn]"):
        assert playing.your_turn(page)
        if not playing.shows(page, "#table[data-phase=play]"):
            playing.move(page)
    playing.move(page)
    assert playing.your_turn(page)
    hand = page.locator("#hand .card-button").evaluate_all("all => all.map(one => one.dataset.card)")
    deal = page.locator("#table").get_attribute("data-deal")
    for mark in ("uvicorn", "--queues waiting"):
        os.kill(service.piece(mark), signal.SIGKILL)
    page.wait_for_selector("#lost:not([hidden])", timeout=60_000)
    page.wait_for_selector("#lost[hidden]", state="attached", timeout=60_000)
    playing.your_turn(page)
    assert page.locator("#table").get_attribute("data-deal") == deal
    assert page.locator("#hand .card-button").evaluate_all("all => all.map(one => one.dataset.card)") == hand
    playing.move(page)
    assert playing.your_turn(page)
