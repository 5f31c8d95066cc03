"""A bot's page, home and status: what they show, in a constant number of queries, readable without scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from botapi import bots
from ladder import histograms, registration
from ladder.models import Pool
from ladder.play_counting import count_play
from ladder.play_tally import PlayTally
from ladder.rating_log import rate_finished
from ladder.sparks import HEIGHT, WIDTH, spark, sparks
from tests.ladder import making
from tests.ladder.test_play_counting import recorded
from tests.ladder.tournament_making import enter, tournament

pytestmark = pytest.mark.django_db

Queries = Callable[..., Any]


@pytest.fixture
def pool() -> Pool:
    """A season of 40 matches with records among five bots."""
    pool = making.pool()
    for match in making.season_of_matches(pool, making.versions(5, house=1), 40):
        recorded(match)
    rate_finished(pool)
    count_play(pool)
    return pool


def page_of(client: Client, pool: Pool) -> str:
    bot = pool.ratings.order_by("pk")[1].version.bot
    return client.get(f"/bots/{bot.name}/").content.decode()


def test_a_bots_page_draws_rating_places_scores_and_contracts_without_scripts(
    client: Client, pool: Pool
) -> None:
    page = page_of(client, pool)
    assert page.count("<polyline") == 1
    assert page.count('class="shares"') == 3
    assert page.count('class="bars"') == 2
    assert '<th scope="row" class="num">120</th>' in page
    assert "/against/" in page
    assert "<script>" not in page


def test_why_a_bot_left_a_tournament_is_told_in_the_readers_language(client: Client) -> None:
    cup = tournament()
    (entry,) = enter(cup, 1)
    bots.withdraw_bot(entry.bot)
    registration.leave_with_bot(cup)
    entry.refresh_from_db()
    english, polish = (
        client.get(f"/bots/{entry.bot.name}/", headers={"accept-language": code}).content.decode()
        for code in ("en", "pl")
    )
    assert f": {entry.reason}</small>" in english
    assert f": {entry.reason}</small>" not in polish


def test_the_curve_for_scripts_has_the_points_of_the_drawn_one(client: Client, pool: Pool) -> None:
    page = page_of(client, pool)
    found = re.search(r'data-curve="([^"]*)"', page)
    assert found
    data = json.loads(unescape(found[1]))
    line = re.search(r'<polyline class="line line-0" points="([^"]*)"', page)
    assert line
    assert len(data["at"]) == len(data["r"]) == len(data["low"]) == len(line[1].split())
    assert all(low < r < high for low, r, high in zip(data["low"], data["r"], data["high"], strict=True))
    assert data["versions"] == [[0, "v1"]]


@pytest.mark.parametrize("matches", [10, 60])
def test_a_bots_page_takes_as_many_queries_for_many_matches(
    matches: int, django_assert_num_queries: Queries, client: Client
) -> None:
    pool = making.pool()
    making.season_of_matches(pool, making.versions(4), matches)
    rate_finished(pool)
    count_play(pool)
    bot = pool.ratings.order_by("pk")[0].version.bot
    client.get(f"/bots/{bot.name}/")
    with django_assert_num_queries(19):
        client.get(f"/bots/{bot.name}/")


def test_a_bot_that_never_played_is_told_of_with_what_comes_next(client: Client) -> None:
    bot = making.bot()
    page = client.get(f"/bots/{bot.name}/").content.decode()
    assert "It has not played yet" in page
    assert "/schedule/" in page


def test_bars_stand_for_their_counts() -> None:
    tally = PlayTally()
    for total in (-120, 30, 90, 1010, 1010, 1010):
        tally.add_match(0, 1, total)
    found = histograms.scores(tally)
    assert found
    assert [(bar.label, bar.count) for bar in found.bars if bar.count] == [("−200", 1), ("0", 2), ("1000", 3)]
    highest = max(found.bars, key=lambda bar: bar.height)
    assert (highest.y, highest.count) == (found.top, found.most)
    assert histograms.scores(PlayTally()) is None
    assert histograms.contracts(PlayTally()) is None


def test_shares_of_places_fill_a_seats_line() -> None:
    tally = PlayTally()
    for place in (1, 1, 2, 3):
        tally.add_match(1, place, 0)
    empty, line, _other = histograms.places_by_seat(tally, 3)
    assert [share.percent for share in line.shares] == [50, 25, 25]
    assert [share.start for share in line.shares] == [0, 50, 75]
    assert empty.matches == 0
    assert sum(share.percent for share in empty.shares) == 0


def test_a_sparkline_stays_in_its_box_and_needs_one_query(
    pool: Pool, django_assert_num_queries: Queries
) -> None:
    drawn = spark([1500, 1400, 1900.5])
    points = [tuple(map(float, point.split(","))) for point in drawn.line.split()]
    assert points[0][0] == 0
    assert points[-1][0] == WIDTH
    assert all(0 <= y <= HEIGHT for _x, y in points)
    flat = spark([1500.0, 1500.2]).line
    assert flat == f"0.0,{HEIGHT / 2:.1f} {WIDTH:.1f},{HEIGHT / 2:.1f}"
    ids = list(pool.ratings.values_list("version", flat=True))
    with django_assert_num_queries(1):
        found = sparks(pool, ids)
    assert found.keys() == set(ids)
    row = pool.ratings.order_by("pk")[0]
    assert found[row.version_id].last == pytest.approx(float(row.r))


def test_home_leads_to_play_watch_and_a_first_bot(client: Client, pool: Pool) -> None:
    page = client.get("/").content.decode()
    for address in ("/play/", "/live/", "/docs/first-bot/", "/ladder/", "/schedule/"):
        assert f'href="{address}"' in page
    assert page.count('class="spark"') == pool.ratings.count()


def test_the_status_says_what_stands_still_and_the_api_the_same(client: Client) -> None:
    page = client.get("/status/").content.decode()
    assert "stands still" in page
    assert "was ever started" in page
    answer = client.get("/api/v1/status/").json()
    assert answer["well"] is False
    assert {line["name"] for line in answer["queues"]} == {"cpu", "waiting"}
    assert answer["late_matches"] == 0
