"""Timetables: which times they name; rounds that begin by them; seasons that open and close by their dates."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from botapi.errors import DomainError
from engine import PRESETS
from games.models import Match
from ladder import matchmaking, seasons, tasks, timetable
from ladder.models import Season
from tests.ladder import making


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "moment", "following"),
    [
        ("0 18 * * 1-5", "2026-11-27T18:00", "2026-11-30T18:00"),
        ("0 18 * * 1-5", "2026-11-27T17:59:59", "2026-11-27T18:00"),
        ("*/20 * * * *", "2026-12-31T23:41", "2027-01-01T00:00"),
        ("5,35 9-10 * * *", "2026-11-30T10:05", "2026-11-30T10:35"),
        ("0 0 29 2 *", "2026-11-30T00:00", "2028-02-29T00:00"),
        ("0 12 * * sun", "2026-11-30T00:00", "2026-12-06T12:00"),
        ("0 0 13 * 5", "2026-11-30T00:00", "2027-08-13T00:00"),
    ],
)
def test_the_next_time_is_the_one_cron_would_name(words, moment, following):
    assert timetable.next_after(words, at(moment)) == at(following)
    assert timetable.latest(words, at(following)) == at(following)
    assert timetable.latest(words, at(following) + timedelta(seconds=30)) == at(following)
    before = timetable.latest(words, at(following) - timedelta(seconds=1))
    assert before is not None
    assert before <= at(moment)


def test_times_that_come_are_named_one_after_the_other():
    found = timetable.coming("0 */8 * * *", at("2026-11-30T07:00"), 4)
    assert [f"{time:%d %H}" for time in found] == ["30 08", "30 16", "01 00", "01 08"]


@pytest.mark.parametrize(
    "words", ["", "daily", "0 18 * *", "61 * * * *", "0 0 30 2 *", "0 0 * * 9", "a b c d e", "* * * * * *"]
)
def test_what_is_no_timetable_is_refused_in_words(words):
    with pytest.raises(DomainError) as refused:
        timetable.check(words)
    assert refused.value.code == "bad_timetable"


def finish(matches) -> None:
    for number, match in enumerate(matches, start=Match.objects.count() * 100):
        for seat in match.seats.all():
            seat.place = seat.rank = seat.index + 1
            seat.total = 1000 - seat.index
            seat.save()
        Match.objects.filter(pk=match.pk).update(
            state="finished", finish_seq=number, finished_at=timezone.now()
        )


@pytest.fixture
def season(db) -> Season:
    season = making.pool().season
    season.timetable = "* * * * *"
    season.opens_at = timezone.now() - timedelta(minutes=10)
    season.save()
    return season


def open_tables() -> list[Match]:
    return list(Match.objects.filter(state="queued").prefetch_related("seats__version"))


def test_a_round_seats_each_eligible_bot_once_and_the_next_waits_until_it_is_over(season):
    making.versions(10, house=3)
    tasks.schedule()
    tables = open_tables()
    seated = Counter(seat.version.bot_id for match in tables for seat in match.seats.all())
    assert (len(tables), set(seated.values())) == (3, {1})
    season.refresh_from_db()
    assert season.round_at == timetable.latest("* * * * *", season.round_at)
    first = season.round_at
    Season.objects.update(round_at=first - timedelta(minutes=3))
    tasks.schedule()
    assert len(open_tables()) == 3
    finish(tables)
    tasks.schedule()
    tables = open_tables()
    assert len(tables) == 3
    season.refresh_from_db()
    assert season.round_at >= first
    seated.update(seat.version.bot_id for match in tables for seat in match.seats.all())
    # Who sat out the first round has played least: its turn comes in the second.
    assert len(seated) == 10


def test_a_round_of_duplicate_tables_has_every_rotation_of_each(season):
    making.versions(6, house=6)
    Season.objects.update(duplicate=True)
    tasks.schedule()
    tables = open_tables()
    assert sorted((match.block is not None, match.rotation) for match in tables) == [
        (True, turn) for turn in (0, 0, 1, 1, 2, 2)
    ]
    seated = Counter(seat.version.bot_id for match in tables for seat in match.seats.all())
    assert set(seated.values()) == {3}


def test_no_round_is_queued_twice_for_one_time_nor_before_its_time(season):
    making.versions(4, house=2)
    Season.objects.update(timetable="0 0 1 1 *", opens_at=at("2026-01-01T00:01"))
    season.refresh_from_db()
    assert matchmaking.due_round(season, at("2026-12-31T23:59")) is None
    assert matchmaking.due_round(season, at("2027-01-01T00:00:01")) == at("2027-01-01T00:00")
    season.round_at = at("2027-01-01T00:00")
    assert matchmaking.due_round(season, at("2027-06-01T00:00")) is None
    assert matchmaking.due_round(season, at("2029-06-01T00:00")) == at("2029-01-01T00:00")


def test_with_too_few_bots_a_round_stays_due(season):
    making.versions(2, house=1)
    tasks.schedule()
    season.refresh_from_db()
    assert season.round_at is None
    making.versions(1)
    tasks.schedule()
    assert len(open_tables()) == 1


@pytest.mark.django_db
def test_seasons_open_and_close_by_their_dates_several_at_once_with_different_rules():
    now = timezone.now()
    early = seasons.create_season(
        "early",
        name="Early",
        ruleset=PRESETS["pl-3"],
        opens_at=now + timedelta(hours=1),
        closes_at=now + timedelta(hours=2),
    )
    late = seasons.create_season(
        "late", name="Late", ruleset=PRESETS["ru-2"], opens_at=now + timedelta(days=1)
    )
    assert seasons.follow_dates() == 0
    Season.objects.filter(pk=early.pk).update(opens_at=now - timedelta(minutes=1))
    Season.objects.filter(pk=late.pk).update(opens_at=now - timedelta(minutes=1))
    making.versions(6, house=3)
    tasks.schedule()
    early.refresh_from_db()
    late.refresh_from_db()
    assert (early.state, late.state) == ("open", "open")
    assert early.closes_at is not None
    tables = {match.series_id: match.players for match in Match.objects.all()}
    assert tables == {early.series_id: 3, late.series_id: 2}
    Season.objects.filter(pk=early.pk).update(closes_at=now - timedelta(seconds=1))
    tasks.schedule()
    early.refresh_from_db()
    assert early.state == "closed"
    assert early.series.closed_at


@pytest.mark.django_db
def test_dates_in_the_wrong_order_are_refused_and_rules_that_cannot_be_played_stop_nobody_else():
    now = timezone.now()
    with pytest.raises(DomainError, match="closes after"):
        seasons.create_season("a", name="A", ruleset=PRESETS["pl-3"], closes_at=now - timedelta(days=1))
    with pytest.raises(DomainError, match="closes after"):
        seasons.create_season(
            "a",
            name="A",
            ruleset=PRESETS["pl-3"],
            opens_at=now + timedelta(days=2),
            closes_at=now + timedelta(days=1),
        )
    broken = seasons.create_season("b", name="B", ruleset=PRESETS["pl-3"], opens_at=now + timedelta(days=1))
    Season.objects.filter(pk=broken.pk).update(rules={"name": "b", "players": 77})
    seasons.create_season("c", name="C", ruleset=PRESETS["pl-3"], opens_at=now + timedelta(days=1))
    missed = seasons.create_season("d", name="D", ruleset=PRESETS["pl-3"], opens_at=now + timedelta(days=1))
    Season.objects.update(opens_at=now - timedelta(seconds=2))
    Season.objects.filter(pk=missed.pk).update(closes_at=now - timedelta(seconds=1))
    assert seasons.follow_dates() == 1
    assert list(Season.objects.filter(state="open").values_list("slug", flat=True)) == ["c"]
