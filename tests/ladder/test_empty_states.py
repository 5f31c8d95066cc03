"""Where there is nothing to show yet, a page says so and leads on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from botapi.house_bots import enter_house_bots
from tests.ladder import making

TEMPLATES = sorted(Path(__file__).parents[2].glob("*/templates/**/*.html"))
EMPTY = re.compile(r'<(p|div) class="empty[^"]*">.*?</\1>', re.DOTALL)
NEXT_STEP_BESIDE = frozenset(
    {
        *("tokens.html", "webhook.html", "event.html", "organise.html", "own_bot.html", "practice.html"),
        *("_table.html", "_tournament_round.html", "rules_differences.html"),
    }
)
"""The next step stands on the same page, as a form or a button, or the page goes on by itself."""


def test_whatever_is_empty_leads_on() -> None:
    found = [
        (path, match[0]) for path in TEMPLATES for match in EMPTY.finditer(path.read_text(encoding="utf-8"))
    ]
    assert len(found) > 30
    ends = [f"{path.name}: {text}" for path, text in found if "<a " not in text]
    assert {line.partition(":")[0] for line in ends} <= NEXT_STEP_BESIDE, ends


def empty_state(client: Client, address: str) -> str:
    """The last empty state of a page."""
    page = client.get(address).content.decode()
    states = [match[0] for match in EMPTY.finditer(page)]
    assert states, f"nothing is empty on {address}"
    return states[-1]


@pytest.mark.django_db
def test_empty_pages_name_the_next_step(client: Client) -> None:
    home = client.get("/").content.decode()
    assert "Open events" in home
    assert re.search(r'No event is open now\.[^<]*<a href="/play/">', home)
    assert 'href="/seasons/"' in empty_state(client, "/matches/")
    making.pool()
    enter_house_bots()
    for address, link in (
        ("/matches/?bot=nobody", "/matches/"),
        ("/seasons/spring/board/", "/ladder/?season=spring"),
        ("/seasons/spring/deals/", "/seasons/spring/"),
        ("/bots/greedy/against/counter/", "/matches/?bot=greedy"),
    ):
        assert f'href="{link}"' in empty_state(client, address), address


@pytest.mark.django_db
def test_without_a_season_one_can_play_all_the_same(client: Client) -> None:
    page = client.get("/seasons/").content.decode()
    assert re.search(r'No season is open\.[^<]*<a href="/play/">', page)
