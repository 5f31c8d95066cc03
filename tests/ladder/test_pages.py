"""Ladder pages and their API twins: what they show, in a constant number of queries, readable without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from botapi import tokens
from botapi.models import Bot, Version
from games.models import Match
from ladder import queries
from ladder.histories import history
from ladder.models import Pool, Rating, RatingEvent, RatingPoint, Season
from ladder.rating_log import rate_finished, void_rating
from ladder.replay import Audit
from tests.games import making as games_making
from tests.ladder import making

pytestmark = pytest.mark.django_db

Queries = Callable[..., Any]


@pytest.fixture
def pool() -> Pool:
    """A season of 60 matches among six bots, two of the house."""
    pool = making.pool()
    making.season_of_matches(pool, making.versions(6, house=2), 60)
    rate_finished(pool)
    return pool


def text_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_ladder_lists_ranked_bots_by_rating_then_provisional_ones(pool: Pool) -> None:
    settled, fresh = pool.ratings.order_by("pk")[0], pool.ratings.order_by("pk")[1]
    Rating.objects.update(v=40**2)
    Rating.objects.filter(pk=fresh.pk).update(v=51**2, r=3000)
    Rating.objects.filter(pk=settled.pk).update(r=2500)
    lines = queries.standings(pool)
    assert lines[0].bot.pk == settled.version.bot_id
    assert (lines[0].rank, lines[0].ranks) == (1, "1")
    assert lines[-1].bot.pk == fresh.version.bot_id
    assert (lines[-1].rank, lines[-1].ranks, lines[-1].provisional) == (None, "", True)
    assert [line.rank for line in lines[:-1]] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("language", ["en", "pl", "ru"])
def test_keys_to_sort_by_are_plain_numbers_in_every_language(
    client: Client, pool: Pool, language: str
) -> None:
    answer = client.get("/ladder/", headers={"accept-language": language})
    keys = re.findall(r'data-sort="([^"]+)"', answer.content.decode())
    assert len(keys) > 6
    for key in keys:
        float(key)


def test_a_rank_range_is_what_the_intervals_allow(pool: Pool) -> None:
    for row, r in zip(pool.ratings.order_by("pk"), (1000, 1010, 1020, 2000, 2010, 3000), strict=True):
        Rating.objects.filter(pk=row.pk).update(r=r, v=20**2)
    assert [line.ranks for line in queries.standings(pool)] == ["1", "2-3", "2-3", "4-6", "4-6", "4-6"]


def test_a_bot_is_listed_once_with_the_version_it_plays_now(pool: Pool) -> None:
    bot = pool.ratings.order_by("pk")[3].version.bot
    new = making.version(bot)
    making.finished(pool, [new, *making.versions(2)])
    rate_finished(pool)
    mine = [line for line in queries.standings(pool) if line.bot.pk == bot.pk]
    assert [line.version.pk for line in mine] == [new.pk]


def test_a_bots_own_line_is_its_line_of_the_ladder(pool: Pool) -> None:
    rows = list(pool.ratings.order_by("pk"))
    for row, r, sd in zip(rows, (1000, 1010, 1010, 2000, 1500, 3000), (20, 20, 30, 20, 20, 60), strict=True):
        Rating.objects.filter(pk=row.pk).update(r=r, v=sd**2)
    Bot.objects.filter(pk=rows[4].version.bot_id).update(state=Bot.State.WITHDRAWN)
    now = timezone.now()
    lines = {line.bot.pk: line for line in queries.standings(pool, now=now)}
    assert len(lines) == 5
    for row in rows:
        bot = row.version.bot
        assert queries.standing_of(pool, bot, now=now) == lines.get(bot.pk)


def test_a_withdrawn_bot_leaves_the_ladder(pool: Pool) -> None:
    bot = pool.ratings.order_by("pk")[3].version.bot
    Bot.objects.filter(pk=bot.pk).update(state=Bot.State.WITHDRAWN)
    assert bot.pk not in [line.bot.pk for line in queries.standings(pool)]


def test_the_change_of_seven_days_is_against_the_last_rating_before_them(pool: Pool) -> None:
    row = pool.ratings.order_by("pk")[0]
    assert all(line.change is None for line in queries.standings(pool))
    point = RatingPoint.objects.filter(version=row.version).order_by("event_id")[4]
    RatingPoint.objects.filter(event__lte=point.event_id).update(at=timezone.now() - timedelta(days=8))
    line = queries.standing_of(pool, row.version.bot)
    assert line
    assert line.change == pytest.approx(float(row.r - point.r))


@pytest.mark.parametrize("count", [5, 40])
def test_the_ladder_needs_one_query_however_many_bots(
    count: int, django_assert_num_queries: Queries, client: Client
) -> None:
    pool = making.pool()
    making.season_of_matches(pool, making.versions(count), 20)
    rate_finished(pool)
    with django_assert_num_queries(1):
        queries.standings(pool)
    with django_assert_num_queries(5):
        client.get("/ladder/")


@pytest.mark.parametrize("matches", [10, 60])
def test_a_bots_page_needs_as_many_queries_for_a_long_history(
    matches: int, django_assert_num_queries: Queries, client: Client
) -> None:
    pool = making.pool()
    making.season_of_matches(pool, making.versions(5), matches)
    rate_finished(pool)
    bot = pool.ratings.order_by("pk")[0].version.bot
    with django_assert_num_queries(14):
        text_of(client, f"/bots/{bot.name}/rating/")


def test_the_ladder_page_shows_bots_authors_and_intervals_as_plain_html(pool: Pool, client: Client) -> None:
    page = text_of(client, "/ladder/")
    for line in queries.standings(pool):
        assert line.bot.name in page
        assert line.author in page
        assert f"{line.r:.0f}" in page
    assert '<table class="sortable' in page
    assert "provisional" in page


def test_lists_of_many_rows_can_be_sorted_wherever_they_stand(pool: Pool, client: Client) -> None:
    user = making.author()
    tokens.create_token(user, name="mine", scopes=[tokens.READ])
    waiting = games_making.match()
    Match.objects.filter(pk=waiting.pk).update(created_at=timezone.now() - timedelta(hours=1))
    client.force_login(user)
    slug = pool.season.slug
    for address in ("/", "/schedule/", "/status/", f"/seasons/{slug}/matrix/", "/me/tokens/"):
        page = text_of(client, address)
        tables = re.findall(r"<table[^>]*>", page)
        assert tables, address
        assert all("sortable" in table for table in tables), (address, tables)
    matrix = text_of(client, f"/seasons/{slug}/matrix/")
    keys = re.findall(r'<td class="(?:ahead|behind|)" data-sort="([^"]*)"', matrix)
    assert keys
    assert all(0 <= float(key) <= 100 for key in keys)


def test_without_a_season_the_pages_say_so(client: Client) -> None:
    assert "No season has been opened yet" in text_of(client, "/ladder/")
    assert "No season is open" in text_of(client, "/seasons/")


def test_a_season_page_publishes_the_hash_of_the_secret_and_not_the_secret(
    pool: Pool, client: Client
) -> None:
    page = text_of(client, f"/seasons/{pool.season.slug}/")
    assert "0" * 64 in page
    assert (b"s" * 32).hex() not in page
    assert "pl-3" in page
    assert pool.season.name in text_of(client, "/seasons/")


@pytest.mark.parametrize(
    "address", ["/seasons/none/", "/bots/nobody/rating/", "/bots/{bot}/rating/?season=none"]
)
def test_unknown_seasons_and_bots_are_404(pool: Pool, client: Client, address: str) -> None:
    name = pool.ratings.order_by("pk")[0].version.bot.name
    assert client.get(address.format(bot=name)).status_code == 404


def test_a_draft_season_is_not_public(pool: Pool, client: Client) -> None:
    Season.objects.update(state=Season.State.DRAFT)
    assert client.get(f"/seasons/{pool.season.slug}/").status_code == 404
    assert client.get(f"/api/v1/seasons/{pool.season.slug}/").status_code == 404


def test_each_change_is_explained_by_lines_that_add_up_to_it_as_shown(pool: Pool, client: Client) -> None:
    bot = pool.ratings.order_by("pk")[2].version.bot
    changes = history(bot, pool, limit=200)
    matches = [change for change in changes if change.kind == "match"]
    assert len(matches) > 5
    for change in matches:
        assert change.change is not None
        assert change.before is not None
        assert f"{sum(line.change for line in change.lines):.1f}" == f"{change.change:.1f}"
        assert f"{change.before + change.change:.1f}" == f"{change.after:.1f}"
        assert len(change.lines) == 2
    assert changes[-1].kind == "version"
    page = text_of(client, f"/bots/{bot.name}/rating/")
    assert "expected" in page
    assert "<svg" in page
    assert len(re.findall(r"<polyline", page)) == 1


def test_older_changes_are_a_page_away(pool: Pool, client: Client) -> None:
    bot = pool.ratings.order_by("pk")[0].version.bot
    older = re.search(r"before=(\d+)", text_of(client, f"/bots/{bot.name}/rating/"))
    assert older
    assert "a new version carries" in text_of(client, f"/bots/{bot.name}/rating/?before={older[1]}")
    text_of(client, f"/bots/{bot.name}/rating/?before=x")


def test_a_withdrawn_rating_stands_in_the_history_with_its_reason(pool: Pool, client: Client) -> None:
    event = RatingEvent.objects.filter(kind="match").earliest("seq")
    assert event.match
    seat = event.match.seats.all()[0]
    void_rating(event, "a broken machine")
    assert seat.version
    page = text_of(client, f"/bots/{seat.version.bot.name}/rating/")
    assert "a broken machine" in page


def test_the_method_page_states_the_formulas(client: Client) -> None:
    assert "1.96" in text_of(client, "/ratings/")


def test_the_api_lists_seasons_standings_events_and_a_bots_ratings(pool: Pool, client: Client) -> None:
    slug = pool.season.slug
    name = pool.ratings.order_by("pk")[0].version.bot.name
    (season,) = client.get("/api/v1/seasons/").json()["results"]
    assert season["slug"] == slug
    assert season["secret"] is None
    assert client.get(f"/api/v1/seasons/{slug}/").json() == season
    lines = client.get(f"/api/v1/seasons/{slug}/standings/").json()
    assert [line["bot"] for line in lines] == [line.bot.name for line in queries.standings(pool)]
    assert lines[0]["low"] < lines[0]["rating"] < lines[0]["high"]
    (row,) = client.get(f"/api/v1/bots/{name}/ratings/").json()["results"]
    assert row["season"] == slug
    points = client.get(f"/api/v1/bots/{name}/rating-points/?season={slug}").json()["results"]
    assert points[0]["kind"] == "version"
    assert points[-1]["rating"] == row["rating"]


def test_the_rating_log_is_served_in_order_page_by_page_and_can_be_audited(
    pool: Pool, client: Client
) -> None:
    making.season_of_matches(pool, [row.version for row in pool.ratings.all()], 200, seed=2)
    rate_finished(pool)
    address: str | None = f"/api/v1/seasons/{pool.season.slug}/rating-events/"
    events: list[dict[str, Any]] = []
    while address:
        answer = client.get(address).json()
        events += answer["results"]
        address = answer["next"]

    audit = Audit()
    for event in events:
        audit.check(event["seq"], event["payload"], event["sha256"])
    assert audit.matches == 260
    assert audit.sha256 == Pool.objects.get(pk=pool.pk).last_sha256


@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/seasons/none/",
        "/api/v1/seasons/none/standings/",
        "/api/v1/seasons/none/rating-events/",
        "/api/v1/bots/nobody/ratings/",
        "/api/v1/bots/nobody/rating-points/",
    ],
)
def test_the_api_answers_404_for_what_is_not_there(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


@pytest.mark.parametrize(
    ("state", "words"),
    [("pending", "being checked"), ("checking", "being checked"), ("refused", "refused by its check")],
)
def test_a_bots_page_says_what_becomes_of_its_newest_version(state: str, words: str, client: Client) -> None:
    making.pool()
    bot = making.bot()
    Version.objects.filter(bot=bot).update(state=state)
    page = text_of(client, f"/bots/{bot.name}/")
    assert words in page
    Version.objects.filter(bot=bot).update(state=Version.State.PASSED)
    assert words not in text_of(client, f"/bots/{bot.name}/")
