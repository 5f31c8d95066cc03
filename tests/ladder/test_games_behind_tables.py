"""Every number of matches in a table leads to a list of exactly those matches, on the page and in the API."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from games.models import Match
from ladder.models import Pool
from ladder.rating_log import rate_finished
from tests.ladder import making

pytestmark = pytest.mark.django_db
Queries = Callable[[int], Any]


@pytest.fixture
def pool() -> Pool:
    """Two seasons of the same bots, one of which has two versions; beside them queued, void and unrated matches."""
    before = making.pool("winter")
    field = making.versions(4, house=1)
    making.season_of_matches(before, field, 6)
    rate_finished(before)
    pool = making.pool()
    first = making.season_of_matches(pool, field, 8, seed=2)
    newer = [*field[:3], making.version(field[3].bot)]
    making.season_of_matches(pool, newer, 9, seed=3)
    rate_finished(pool)
    making.finished(pool, field[:3], finish=False)
    Match.objects.filter(pk=making.finished(pool, newer[1:]).pk).update(rated=False)
    Match.objects.filter(pk=first[0].pk).update(state=Match.State.VOID, reason="the cable was cut")
    rate_finished(pool)
    return pool


def linked_numbers(page: str) -> list[tuple[str, int]]:
    """Links to lists of matches, with the number that each is the text of."""
    found = re.findall(r'<a href="(/matches/\?[^"]*)">(\d+)</a>', page)
    return [(unescape(address), int(number)) for address, number in found]


@pytest.mark.parametrize("slug", ["spring", "winter"])
def test_a_number_in_a_table_is_the_count_of_the_matches_it_leads_to(
    pool: Pool, client: Client, slug: str
) -> None:
    names = [rating.version.bot.name for rating in pool.ratings.order_by("pk")[:2]]
    pages = [
        *(f"/ladder/?season={slug}", f"/bots/{names[0]}/?season={slug}"),
        f"/bots/{names[0]}/against/{names[1]}/?season={slug}",
    ]
    for page in pages:
        numbers = linked_numbers(client.get(page).content.decode())
        assert numbers, page
        for address, number in numbers:
            listed = client.get(address).content.decode()
            assert max(0, listed.count("<tr") - 1) == number, (page, address)
            twin = client.get("/api/v1" + address).json()
            assert len(twin["results"]) == number, (page, address)


def test_the_list_says_what_it_is_narrowed_to_and_how_to_see_all(pool: Pool, client: Client) -> None:
    name = pool.ratings.order_by("pk")[0].version.bot.name
    page = client.get(f"/matches/?bot={name}&rated=1&series=season+spring").content.decode()
    assert "rated matches" in page
    assert "season spring" in page
    assert f'href="?bot={name}"' in page
    assert "Shown are only" not in client.get(f"/matches/?bot={name}").content.decode()
    for odd in ("series=%00", "series=none", f"bot={name}&version=x", f"bot={name}&series=%00"):
        assert "No match fits" in client.get(f"/matches/?{odd}").content.decode(), odd
        assert client.get(f"/api/v1/matches/?{odd}").status_code in (200, 400), odd


def test_pages_of_a_narrowed_list_go_on_and_back(pool: Pool, client: Client) -> None:
    assert pool.season.series
    bot = pool.ratings.order_by("pk")[0].version.bot
    wanted = Match.objects.filter(
        series=pool.season.series, rated=True, state="finished", seats__version__bot=bot
    )
    numbers = list(wanted.order_by("-pk").values_list("pk", flat=True))
    address = f"/api/v1/matches/?bot={bot.name}&state=finished&rated=true&series=season+spring&page_size=4"
    seen: list[int] = []
    turns = 0
    while address and turns < 20:
        answer = client.get(address).json()
        seen += [row["id"] for row in answer["results"]]
        address, turns = answer["next"], turns + 1
    assert seen == numbers


@pytest.mark.parametrize("more", [0, 30])
def test_a_narrowed_list_takes_as_many_queries_for_many_matches(
    pool: Pool, client: Client, django_assert_num_queries: Queries, more: int
) -> None:
    making.season_of_matches(pool, making.versions(4), more)
    name = pool.ratings.order_by("pk")[0].version.bot.name
    with django_assert_num_queries(5):
        client.get(f"/matches/?bot={name}&version=1&rated=1&series=season+spring")
