"""Bot against bot: sums of joint matches from both sides, by relative seat; pages and their API twins."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import mean, stdev
from typing import Any

import pytest
from django.test import Client

from botapi.models import Bot
from games.models import Match
from ladder import pairs
from ladder.models import Pool
from ladder.rating_log import rate_finished
from tests.ladder import making

pytestmark = pytest.mark.django_db

Queries = Callable[..., Any]


@pytest.fixture
def pool() -> Pool:
    """A season of 30 matches among five bots, one of which has a second version since the middle."""
    pool = making.pool()
    field = making.versions(5, house=1)
    making.season_of_matches(pool, field, 15)
    rate_finished(pool)
    making.season_of_matches(pool, [*field[:4], making.version(field[4].bot)], 15, seed=2)
    rate_finished(pool)
    return pool


def differences(one: Bot, other: Bot) -> dict[int, list[int]]:
    """Every joint match of two bots, read from its seats: differences by relative seat."""
    found: dict[int, list[int]] = {1: [], 2: []}
    for match in Match.objects.prefetch_related("seats__version"):
        seats = {seat.version.bot_id: seat for seat in match.seats.all() if seat.version}
        if one.pk in seats and other.pk in seats:
            mine, theirs = seats[one.pk], seats[other.pk]
            found[(theirs.index - mine.index) % 3].append((mine.total or 0) - (theirs.total or 0))
    return found


def test_two_bots_are_compared_by_all_matches_of_all_their_versions(pool: Pool) -> None:
    bots = list(Bot.objects.order_by("pk"))
    for one, other in ((bots[4], bots[1]), (bots[1], bots[4]), (bots[0], bots[2])):
        expected = differences(one, other)
        found = pairs.against(pool, one, other)
        every = [value for values in expected.values() for value in values]
        assert {offset: meeting.matches for offset, meeting in found.by_offset} == {
            offset: len(values) for offset, values in expected.items()
        }
        assert found.total.mean == pytest.approx(mean(every))
        assert found.total.half == pytest.approx(1.96 * stdev(every) / math.sqrt(len(every)), rel=1e-3)
        assert found.total.ahead == sum(value > 0 for value in every)
        for offset, meeting in found.by_offset:
            assert meeting.difference == sum(expected[offset])


def test_what_one_bot_has_gained_the_other_has_lost(pool: Pool) -> None:
    one, other = Bot.objects.order_by("pk")[:2]
    there, back = pairs.against(pool, one, other).total, pairs.against(pool, other, one).total
    assert there.turned == back
    assert there.low == pytest.approx(-(back.high or 0))


def test_a_verdict_needs_an_interval_without_zero() -> None:
    assert pairs.Meeting(ahead=9, difference=900, squares=90_100).verdict == "ahead"
    assert pairs.Meeting(behind=9, difference=-900, squares=90_100).verdict == "behind"
    assert pairs.Meeting(ahead=5, behind=4, difference=100, squares=90_000).verdict == ""
    assert pairs.Meeting(ahead=1, difference=500, squares=250_000).verdict == ""
    assert pairs.Meeting().mean is None


def test_the_pages_show_both_sides_and_lead_to_the_matches(pool: Pool, client: Client) -> None:
    one, other = Bot.objects.order_by("pk")[:2]
    met = pairs.against(pool, one, other).total
    page = client.get(f"/bots/{one.name}/against/{other.name}/").content.decode()
    assert f">{met.matches}</a>" in page
    assert f"{met.ahead} / {met.level} / {met.behind}" in page
    assert "plays right after" in page
    assert f"?bot={one.name}&amp;against={other.name}" in page
    listed = client.get(f"/matches/?bot={one.name}&against={other.name}").content.decode()
    assert listed.count("<tr") - 1 == met.matches
    matrix = client.get(f"/seasons/{pool.season.slug}/matrix/").content.decode()
    assert f"/bots/{one.name}/against/{other.name}/" in matrix


def test_bots_that_never_met_are_told_so(pool: Pool, client: Client) -> None:
    stranger = making.bot()
    one = Bot.objects.order_by("pk")[0]
    page = client.get(f"/bots/{one.name}/against/{stranger.name}/").content.decode()
    assert "have not met" in page
    assert client.get(f"/bots/{one.name}/against/{one.name}/").status_code == 404
    assert client.get(f"/bots/{one.name}/against/nobody/").status_code == 404
    assert pool.season.slug


def test_the_api_tells_the_same(pool: Pool, client: Client) -> None:
    one, other = Bot.objects.order_by("pk")[:2]
    met = pairs.against(pool, one, other)
    answer = client.get(f"/api/v1/bots/{one.name}/against/{other.name}/").json()
    assert answer["total"]["matches"] == met.total.matches
    assert answer["total"]["mean_difference"] == pytest.approx(met.total.mean)
    assert [seat["seats_behind"] for seat in answer["by_seat"]] == [1, 2]
    lines = client.get(f"/api/v1/bots/{one.name}/opponents/?season={pool.season.slug}").json()
    assert {line["bot"] for line in lines} == {bot.name for bot in Bot.objects.exclude(pk=one.pk)}
    assert client.get(f"/api/v1/bots/{one.name}/against/{one.name}/").status_code == 404
    assert client.get(f"/api/v1/bots/{one.name}/opponents/?season=none").status_code == 404


@pytest.mark.parametrize("matches", [5, 40])
def test_pairs_take_as_many_queries_for_many_matches(
    matches: int, django_assert_num_queries: Queries, client: Client
) -> None:
    pool = making.pool()
    making.season_of_matches(pool, making.versions(6), matches)
    rate_finished(pool)
    bots = list(Bot.objects.order_by("pk"))
    with django_assert_num_queries(3):
        pairs.opponents(pool, bots[0])
    with django_assert_num_queries(1):
        pairs.matrix(pool, bots)
    with django_assert_num_queries(4):
        client.get(f"/seasons/{pool.season.slug}/matrix/")
