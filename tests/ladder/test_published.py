"""Published boards: when they appear, what they say, that they are the board of the log, what is not ranked."""

from __future__ import annotations

import json

import pytest

from botapi.models import Bot
from games.models import Match
from ladder import boards, published, seasons, tasks
from ladder.audits import audit
from ladder.models import RatingEvent
from ladder.rating_log import publish_board, rate_finished
from tests.ladder import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool():
    pool = making.pool()
    making.season_of_matches(pool, making.versions(6, house=2), 40)
    rate_finished(pool)
    return pool


def test_a_publication_is_the_board_of_the_log_before_it_and_the_audit_agrees(pool):
    assert published.board(pool) is None
    pool.refresh_from_db()
    head, fitted = pool.last_sha256, boards.fit_pool(pool)
    assert publish_board(pool)
    found = published.board(pool)
    assert (found.log_sha256, found.matches) == (head, 40)
    expected = {e.version: (e.r, e.rank_low, e.rank_high) for e in fitted.entries}
    assert {line.version.pk: (line.r, line.rank_low, line.rank_high) for line in found.lines} == expected
    for line, entry in zip(found.lines, fitted.entries, strict=True):
        assert (line.low, line.high) == pytest.approx(entry.interval, abs=1e-4)
    audit(pool, with_boards=True)


def test_nothing_new_is_not_published_again_and_a_withdrawn_match_is_news(pool):
    assert publish_board(pool)
    assert not publish_board(pool)
    match = Match.objects.filter(state="finished").first()
    Match.objects.filter(pk=match.pk).update(state="void")
    rate_finished(pool)
    assert publish_board(pool)
    assert published.board(pool).matches == 39
    assert published.publications(pool).count() == 2


def test_the_nightly_task_and_the_end_of_a_season_publish(pool):
    tasks.publish_boards()
    assert published.publications(pool).count() == 1
    waiting = making.finished(pool, making.versions(3), finish=False)
    seasons.close_season(pool.season)
    tasks.rate()
    assert published.publications(pool).count() == 1
    field = [seat.version for seat in waiting.seats.all()]
    waiting.delete()
    making.finished(pool, field)
    tasks.rate()
    last = published.board(pool)
    assert (published.publications(pool).count(), last.matches) == (2, 41)
    assert {version.pk for version in last.unjoined} == {version.pk for version in field}
    pool.season.series.refresh_from_db()
    assert pool.season.series.revealed_at


def test_a_bot_is_ranked_once_with_its_newest_version_and_islands_are_listed_apart(pool, client):
    bot = Bot.objects.filter(kind=Bot.Kind.SANDBOX).first()
    old = bot.active_version
    new = making.version(bot)
    others = [row.version for row in pool.ratings.exclude(version=old)[:2]]
    for _ in range(3):
        making.finished(pool, [new, *others])
    island = making.versions(3)
    making.finished(pool, island)
    rate_finished(pool)
    publish_board(pool)
    found = published.board(pool)
    assert new in [line.version for line in found.lines]
    assert [(line.version, line.ranks) for line in found.earlier] == [(old, "")]
    assert max(line.rank_high for line in found.lines) <= len(found.lines) == 6
    assert {version.pk for version in found.unjoined} == {version.pk for version in island}
    page = client.get("/seasons/spring/board/").content.decode()
    for text in (found.log_sha256, new.bot.name, "Not ranked", island[0].bot.name):
        assert text in page


def test_page_and_api_show_the_same_and_older_boards_stay(pool, client, django_assert_max_num_queries):
    assert "No board has been published yet" in client.get("/seasons/spring/board/").content.decode()
    assert client.get("/api/v1/seasons/spring/board/").status_code == 404
    publish_board(pool)
    first = published.board(pool)
    making.season_of_matches(pool, [line.version for line in first.lines], 10, seed=5)
    rate_finished(pool)
    publish_board(pool)
    with django_assert_max_num_queries(9):
        page = client.get("/seasons/spring/board/").content.decode()
    latest = client.get("/api/v1/seasons/spring/board/").json()
    assert (latest["matches"], latest["log_sha256"] in page) == (50, True)
    older = client.get(f"/api/v1/seasons/spring/board/?seq={first.seq}").json()
    assert (older["matches"], older["sha256"]) == (40, first.sha256)
    assert f"?seq={first.seq}" in page
    event = RatingEvent.objects.get(pool=pool, seq=first.seq)
    assert json.loads(event.payload)["log_sha256"] == older["log_sha256"]
    for wrong in ("seq=1", "seq=x", "seq=99999999999999999999", "seq=-1"):
        assert client.get(f"/seasons/spring/board/?{wrong}").status_code == 404
        assert client.get(f"/api/v1/seasons/spring/board/?{wrong}").status_code == 404
    assert client.get("/seasons/none/board/").status_code == 404
    assert client.get("/api/v1/seasons/none/board/").status_code == 404


def test_a_match_that_ends_just_as_its_seasons_secret_is_revealed_is_rated_and_published_all_the_same(pool):
    field = [row.version for row in pool.ratings.all()[:3]]
    seasons.close_season(pool.season)
    tasks.rate()
    pool.season.series.refresh_from_db()
    assert pool.season.series.revealed_at
    making.finished(pool, field)
    tasks.rate()
    assert published.board(pool).matches == 41
    tasks.rate()
    assert published.publications(pool).count() == 2
