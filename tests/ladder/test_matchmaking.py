"""Matchmaking against PostgreSQL: who may play, how many are queued, whose turn it is."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import timedelta
from itertools import permutations

import pytest
from django.db import connection
from django.utils import timezone

from botapi.models import Bot, User, Version
from games.models import Match
from ladder import tasks
from ladder.eligibility import eligible_bots, why_no_match
from ladder.matchmaking import meetings, schedule
from ladder.models import RatingPoint, Season
from ladder.pairing import Candidate
from ladder.rating_log import rate_finished
from tests.ladder import making

pytestmark = pytest.mark.django_db


def bots_of(match: Match) -> list[int]:
    return [seat.version.bot_id for seat in match.seats.all() if seat.version]


def play(match: Match, number: int) -> None:
    """Finish a queued match as the platform would, places by seat."""
    for seat in match.seats.all():
        seat.place, seat.total = seat.index + 1, 1000
        seat.save()
    match.state, match.finish_seq, match.finished_at = Match.State.FINISHED, number, timezone.now()
    match.save()


def test_the_queue_is_filled_to_the_target_and_no_bot_sits_twice() -> None:
    pool = making.pool()
    making.versions(20)
    made = schedule(pool.season)
    assert len(made) == pool.season.queue_target
    seated = [bot for match in made for bot in bots_of(match)]
    assert len(seated) == len(set(seated)) == 12
    assert all(
        match.rated and match.klass == "ladder" and match.series == pool.season.series for match in made
    )
    assert schedule(pool.season) == []


def test_few_bots_make_few_tables() -> None:
    pool = making.pool()
    making.versions(7, house=4)
    assert len(schedule(pool.season)) == 2
    assert schedule(pool.season) == []


def test_a_finished_match_makes_room_for_the_next() -> None:
    pool = making.pool()
    making.versions(7, house=4)
    played: Counter[int] = Counter()
    number = 0
    for _ in range(20):
        for match in schedule(pool.season):
            number += 1
            played.update(bots_of(match))
            play(match, number)
        rate_finished(pool)
    assert number == 40
    assert max(played.values()) - min(played.values()) <= 5


def test_a_bots_seats_are_used_evenly() -> None:
    pool = making.pool()
    making.versions(6)
    use: Counter[tuple[int, int]] = Counter()
    for number in range(1, 31):
        matches = schedule(pool.season)
        for k, match in enumerate(matches):
            use.update((bot, index) for index, bot in enumerate(bots_of(match)))
            play(match, number * 10 + k)
        rate_finished(pool)
    for bot in {bot for bot, _ in use}:
        counts = [use[bot, seat] for seat in range(3)]
        assert max(counts) - min(counts) <= 4


@pytest.mark.parametrize("rated", [0, 4, 9])
def test_meetings_are_counted_whether_matches_are_rated_finished_or_open(rated: int) -> None:
    pool = making.pool()
    making.versions(7)
    met: Counter[tuple[int, int]] = Counter()
    for number in range(1, 10):
        for k, match in enumerate(schedule(pool.season)):
            met.update(permutations(bots_of(match), 2))
            if number < 9:
                play(match, number * 10 + k)
        if number <= rated:
            rate_finished(pool)
    count = meetings(pool.season, pool)
    for rating in pool.ratings.select_related("version__bot"):
        bot, version = rating.version.bot_id, rating.version_id
        candidate = Candidate(bot, version, None, 1500.0, 0, busy=False, provisional=True)
        assert dict(count(candidate)) == {other: n for (one, other), n in met.items() if one == bot}


def test_two_bots_of_one_author_never_meet() -> None:
    pool = making.pool()
    one = making.author()
    mine = {making.bot(owner=one).pk for _ in range(4)}
    making.versions(3, house=3)
    number = 0
    for _ in range(12):
        for match in schedule(pool.season):
            assert len(mine & set(bots_of(match))) <= 1
            number += 1
            play(match, number)
        rate_finished(pool)
    assert number >= 12


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"state": Bot.State.PAUSED}, "paused"),
        ({"state": Bot.State.SUSPENDED, "state_reason": "3 forfeits in a row"}, "3 forfeits in a row"),
        ({"state": Bot.State.WITHDRAWN}, "withdrawn"),
        ({"active_version": None}, "no version of it plays"),
    ],
)
def test_a_bot_that_may_not_play_is_not_seated_and_told_why(change: dict[str, object], reason: str) -> None:
    pool = making.pool()
    bot = making.bot()
    Bot.objects.filter(pk=bot.pk).update(**change)
    bot.refresh_from_db()
    assert bot not in eligible_bots()
    assert reason in why_no_match(bot, pool.season).lower()


def test_a_version_that_has_not_passed_its_check_does_not_play() -> None:
    pool = making.pool()
    bot = making.bot()
    Version.objects.filter(bot=bot).update(state=Version.State.PENDING)
    bot.refresh_from_db()
    assert bot not in eligible_bots()
    assert why_no_match(bot, pool.season) == "Version 1 is being checked; that takes up to a minute."
    Version.objects.filter(bot=bot).update(state=Version.State.REFUSED)
    bot.refresh_from_db()
    assert why_no_match(bot, pool.season) == "Version 1 failed its check; its report says why."


def test_an_author_without_a_verified_address_waits_and_house_bots_need_none() -> None:
    pool = making.pool()
    bot, house = making.bot(), making.bot(kind=Bot.Kind.HOUSE)
    assert why_no_match(bot, pool.season) == ""
    User.objects.update(email_verified_at=None)
    bot = Bot.objects.get(pk=bot.pk)
    assert set(eligible_bots()) == {house}
    assert "e-mail" in why_no_match(bot, pool.season)


def test_a_fifth_new_version_within_a_day_waits() -> None:
    pool = making.pool()
    making.versions(5)
    bot = making.bot()
    for _ in range(5):
        schedule(pool.season)
        making.version(bot)
    schedule(pool.season)
    assert pool.ratings.filter(version__bot=bot).count() == 4
    assert "More than 4 versions came in 24 hours" in why_no_match(bot, pool.season)
    RatingPoint.objects.update(at=timezone.now() - timedelta(hours=25))
    Match.objects.update(state=Match.State.VOID)
    schedule(pool.season)
    assert pool.ratings.filter(version__bot=bot).count() == 5


def test_draft_and_closed_seasons_queue_nothing() -> None:
    pool = making.pool()
    making.versions(6)
    Season.objects.update(state=Season.State.CLOSED)
    assert schedule(pool.season) == []
    assert "No season is open." in why_no_match(making.bot(), Season.objects.get())


def test_an_http_bots_table_gets_the_clocks_of_http() -> None:
    pool = making.pool()
    making.versions(2)
    making.bot(kind=Bot.Kind.HTTP)
    (match,) = schedule(pool.season)
    assert match.clocks == pool.season.clocks["http"]


def test_a_season_of_duplicate_tables_plays_a_deal_in_every_rotation() -> None:
    pool = making.pool()
    Season.objects.update(duplicate=True, queue_target=1)
    table = making.versions(3)
    made = schedule(Season.objects.get())
    assert [match.rotation for match in made] == [0, 1, 2]
    assert len({match.block for match in made}) == 1
    assert made[0].block == made[0].number
    for seat in range(3):
        assert {bots_of(match)[seat] for match in made} == {one.bot_id for one in table}
    assert schedule(pool.season) == []


def test_an_http_bot_never_sits_at_a_duplicate_table() -> None:
    making.pool()
    Season.objects.update(duplicate=True)
    making.versions(2)
    making.bot(kind=Bot.Kind.HTTP)
    (match,) = schedule(Season.objects.get())
    assert match.block is None


def test_beats_tasks_rate_what_has_finished_and_queue_what_comes_next() -> None:
    pool = making.pool()
    table = making.versions(3)
    making.finished(pool, table)
    tasks.schedule()
    tasks.rate()
    assert set(pool.ratings.values_list("n", flat=True)) == {1}
    assert Match.objects.filter(state=Match.State.QUEUED).count() == 1


def test_a_season_that_cannot_be_served_holds_up_no_other(caplog: pytest.LogCaptureFixture) -> None:
    other, broken = making.pool("other"), making.pool("broken")
    Season.objects.filter(pk=broken.season_id).update(clocks={})
    making.versions(3)
    tasks.schedule()
    tasks.rate()
    assert [match.series for match in Match.objects.all()] == [other.season.series]
    assert "season broken was left out" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_two_beats_at_once_do_not_overfill_the_queue() -> None:
    pool = making.pool()
    making.versions(20)
    start = threading.Barrier(4)

    def beat() -> None:
        start.wait()
        schedule(pool.season)
        connection.close()

    threads = [threading.Thread(target=beat) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Match.objects.count() == pool.season.queue_target
