"""Counts of how bots play: the same as reading every match again, each match once, withdrawn ones taken back."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from games.models import Match, MatchRecord, Seat
from ladder.models import Pool, RatingEvent
from ladder.play_counting import BATCH, count_play, tally_of
from ladder.play_tally import Contracts, PlayTally
from ladder.rating_log import rate_finished, void_rating
from tests.ladder import making

pytestmark = pytest.mark.django_db


def deal(declarer: int | None, contract: int | None, points: list[int]) -> dict[str, Any]:
    return {"declarer": declarer, "contract": contract, "points": points}


DEALS = [
    deal(0, 120, [131, 20, 10]),
    deal(0, 120, [80, 60, 20]),
    deal(1, 100, [20, 100, 0]),
    deal(None, None, [0, 0, 0]),
]


def recorded(match: Match) -> None:
    MatchRecord.objects.create(match=match, body=json.dumps({"deals": DEALS}), sha256="0" * 64)


@pytest.fixture
def pool() -> Pool:
    pool = making.pool()
    for match in making.season_of_matches(pool, making.versions(4), 20):
        recorded(match)
    rate_finished(pool)
    return pool


def test_counts_are_those_of_every_seat_of_every_rated_match(pool: Pool) -> None:
    assert count_play(pool) == pool.events.count()
    for row in pool.ratings.select_related("version__bot"):
        seats = list(Seat.objects.filter(version=row.version))
        tally = tally_of(pool, row.version.bot)
        assert tally.matches == len(seats) == row.n
        for index in range(3):
            expected = Counter(seat.place for seat in seats if seat.index == index)
            assert tally.places.get(index, Counter()) == expected
        assert tally.scores == Counter((seat.total or 0) // 100 * 100 for seat in seats)
        sat_first = sum(seat.index == 0 for seat in seats)
        if sat_first:
            assert tally.contracts[120] == Contracts(2 * sat_first, sat_first, 211 * sat_first)


def test_each_entry_of_the_log_is_counted_once_however_often_and_in_what_parts(pool: Pool) -> None:
    bot = pool.ratings.order_by("pk")[0].version.bot
    count_play(pool)
    before = tally_of(pool, bot).to_json()
    assert count_play(pool) == 0
    assert tally_of(pool, bot).to_json() == before
    making.season_of_matches(pool, [row.version for row in pool.ratings.all()], BATCH + 5, seed=3)
    rate_finished(pool)
    assert count_play(pool) == BATCH + 5
    assert tally_of(pool, bot).matches == Seat.objects.filter(version__bot=bot).count()


def test_a_withdrawn_match_is_taken_back(pool: Pool) -> None:
    making.finished(pool, making.versions(3))
    rate_finished(pool)
    last = RatingEvent.objects.filter(pool=pool, kind="match").latest("seq")
    count_play(pool)
    assert last.match is not None
    seat = last.match.seats.select_related("version__bot").first()
    assert seat is not None
    assert seat.version is not None
    assert tally_of(pool, seat.version.bot).matches == 1
    void_rating(last, "a broken machine")
    count_play(pool)
    assert tally_of(pool, seat.version.bot).to_json() == PlayTally().to_json()


def test_a_tally_comes_back_as_it_was_stored() -> None:
    tally = PlayTally()
    tally.add_match(1, 2, -140)
    tally.add_deals(0, {"deals": DEALS})
    again = PlayTally.from_json(json.loads(json.dumps(tally.to_json())))
    assert again == tally
    assert again.scores == {-200: 1}
    assert again.contracts[120].percent == 50
    assert again.contracts[120].mean == 105.5
