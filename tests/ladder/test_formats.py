"""Who plays whom in a tournament: perfect systems, fewest repeats, byes, Swiss rounds, groups, broken rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.tournaments import FORMATS, Play
from ladder.formats import groups, round_robin, swiss
from ladder.formats.draws import Draw, Sizes, meetings
from ladder.formats.lots import Lot, published_lot
from ladder.formats.mending import mended

LOT = Lot(b"a public lot")
tables_of = st.sampled_from([2, 3, 4])
counts = st.integers(4, 22)
lots = st.binary(min_size=1, max_size=8).map(Lot)


def plays_once(draw: Draw, entrants: Iterable[int]) -> bool:
    seated = [entrant for table in draw.tables for entrant in table] + list(draw.byes)
    return sorted(seated) == sorted(entrants)


def met_in(rounds: Iterable[Draw]) -> Counter[frozenset[int]]:
    return meetings(table for draw in rounds for table in draw.tables)


def byes_in(rounds: Iterable[Draw], entrants: Iterable[int]) -> list[int]:
    had = Counter(entrant for draw in rounds for entrant in draw.byes)
    return [had[entrant] for entrant in entrants]


@pytest.mark.parametrize(("size", "count", "rounds"), [(3, 9, 4), (3, 15, 7), (3, 27, 13), (4, 16, 5)])
@given(lot=lots)
@settings(max_examples=5)
def test_where_a_kirkman_system_is_known_every_two_meet_exactly_once(
    size: int, count: int, rounds: int, lot: Lot
) -> None:
    schedule = round_robin.schedule(range(100, 100 + count), Sizes(size), lot)
    assert len(schedule) == rounds
    assert all(plays_once(draw, range(100, 100 + count)) and not draw.byes for draw in schedule)
    assert set(met_in(schedule).values()) == {1}
    assert len(met_in(schedule)) == comb(count, 2)


@given(count=st.integers(2, 30), lot=lots)
def test_at_tables_of_two_every_two_meet_exactly_once_and_everybody_rests_equally(
    count: int, lot: Lot
) -> None:
    schedule = round_robin.schedule(range(count), Sizes(2), lot)
    assert set(met_in(schedule).values()) == {1}
    assert len(met_in(schedule)) == comb(count, 2)
    assert set(byes_in(schedule, range(count))) == {count % 2}


@given(size=tables_of, count=counts, lot=lots, cycles=st.integers(1, 2))
@settings(max_examples=15, deadline=None)
def test_in_every_round_robin_each_plays_or_rests_once_a_round_and_rests_go_round(
    size: int, count: int, lot: Lot, cycles: int
) -> None:
    schedule = round_robin.schedule(range(count), Sizes(size), lot, cycles=cycles)
    assert all(plays_once(draw, range(count)) for draw in schedule)
    assert all(len(table) == size for draw in schedule for table in draw.tables)
    rests = byes_in(schedule, range(count))
    assert max(rests) - min(rests) <= 1
    assert schedule == round_robin.schedule(range(count), Sizes(size), lot, cycles=cycles)


@pytest.mark.parametrize(("size", "count"), [(3, 12), (3, 18), (3, 21), (3, 22), (4, 12), (4, 20), (4, 28)])
def test_where_no_system_is_known_nearly_every_two_meet_and_none_too_often(size: int, count: int) -> None:
    met = met_in(round_robin.schedule(range(count), Sizes(size), LOT))
    assert max(met.values()) <= 3
    assert len(met) >= 0.8 * comb(count, 2)


def test_another_lot_draws_another_schedule() -> None:
    one, two = (round_robin.schedule(range(15), Sizes(3), lot) for lot in (LOT, Lot(b"another")))
    assert one != two


@pytest.mark.parametrize(
    ("own", "others", "count", "split"),
    [
        (3, (), 10, (3, 3, 3)),
        (3, (2,), 10, (3, 3, 2, 2)),
        (3, (4,), 10, (4, 3, 3)),
        (3, (2, 4), 11, (3, 3, 3, 2)),
        (4, (3,), 13, (4, 3, 3, 3)),
        (4, (3,), 5, (4,)),
        (2, (3,), 7, (3, 2, 2)),
        (3, (), 2, ()),
    ],
)
def test_remainders_go_to_tables_of_another_size_where_the_rules_allow_them(
    own: int, others: tuple[int, ...], count: int, split: tuple[int, ...]
) -> None:
    assert Sizes(own, others).split(count) == split


@given(size=tables_of, count=counts, lot=lots, rounds=st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_swiss_rounds_rest_everybody_equally_and_seat_each_once(
    size: int, count: int, lot: Lot, rounds: int
) -> None:
    drawn: list[Draw] = []
    for number in range(rounds):
        order = lot.order(range(count), f"some standings {number}")
        byes = Counter(entrant for draw in drawn for entrant in draw.byes)
        drawn.append(swiss.draw(order, met_in(drawn), byes, Sizes(size), lot, number=number))
    assert all(plays_once(draw, range(count)) for draw in drawn)
    rests = byes_in(drawn, range(count))
    assert max(rests) - min(rests) <= 1


def test_a_swiss_round_seats_neighbours_of_the_standings_who_have_not_met() -> None:
    first = swiss.draw(range(12), Counter(), {}, Sizes(3), LOT, number=0)
    assert {frozenset(table) for table in first.tables} == {
        frozenset({0, 1, 2}),
        frozenset({3, 4, 5}),
        frozenset({6, 7, 8}),
        frozenset({9, 10, 11}),
    }
    second = swiss.draw(range(12), met_in([first]), {}, Sizes(3), LOT, number=1)
    assert max(met_in([first, second]).values()) == 1
    spans = [max(table) - min(table) for table in second.tables]
    assert max(spans) < 11


def test_the_last_of_the_standings_rest_first_and_nobody_twice_before_the_others() -> None:
    assert swiss.draw(range(10), Counter(), {}, Sizes(3), LOT, number=0).byes == (9,)
    assert swiss.draw(range(10), Counter(), {9: 1, 8: 1}, Sizes(3), LOT, number=2).byes == (7,)


@given(count=st.integers(6, 30), parts=st.integers(1, 5), lot=lots)
def test_groups_hold_everybody_once_and_are_of_nearly_equal_size(count: int, parts: int, lot: Lot) -> None:
    made = groups.divide(range(count), parts, lot)
    assert sorted(entrant for group in made for entrant in group) == list(range(count))
    sizes = [len(group) for group in made]
    assert max(sizes) - min(sizes) <= 1


def test_groups_play_their_round_robins_side_by_side() -> None:
    made = groups.divide(range(27), 3, LOT)
    schedule = groups.schedule(made, Sizes(3), LOT)
    assert len(schedule) == 4
    met = met_in(schedule)
    inside = {frozenset(pair) for group in made for pair in combinations(group, 2)}
    assert set(met) == inside
    assert set(met.values()) == {1}


@given(absent=st.sets(st.integers(0, 14), max_size=12), lot=lots, number=st.integers(0, 6))
def test_a_round_without_some_seats_the_others_again_and_leaves_whole_tables_alone(
    absent: set[int], lot: Lot, number: int
) -> None:
    drawn = round_robin.schedule(range(15), Sizes(3), lot)[number]
    present = set(range(15)) - absent
    round_ = mended(drawn, present, Counter(), Sizes(3), lot, number=number)
    assert plays_once(round_, present)
    assert {table for table in drawn.tables if set(table) <= present} <= set(round_.tables)
    assert len(round_.byes) < 3


def test_whoever_rests_is_asked_when_a_table_is_one_short() -> None:
    drawn = Draw(((0, 1, 2), (3, 4, 5)), (6,))
    round_ = mended(drawn, {0, 1, 3, 4, 5, 6}, Counter(), Sizes(3), LOT, number=0)
    assert {frozenset(table) for table in round_.tables} == {frozenset({0, 1, 6}), frozenset({3, 4, 5})}
    assert round_.byes == ()


def test_the_lot_follows_from_the_secret_and_is_not_the_seed_of_any_match() -> None:
    assert published_lot(b"s" * 32) == published_lot(b"s" * 32)
    assert published_lot(b"s" * 32) != published_lot(b"t" * 32)
    assert published_lot(b"s" * 32).number("tie 1") != published_lot(b"s" * 32).number("tie 2")


@pytest.mark.parametrize("name", FORMATS)
def test_simulated_tournaments_play_as_many_matches_as_planned_and_mostly_find_strong_winners(
    name: str,
) -> None:
    run, expected = FORMATS[name]
    found = []
    for seed in range(4):
        play = Play(seed, 250)
        winner = run(play)[0].entrant
        found.append(sorted(play.strength, key=lambda bot: -play.strength[bot]).index(winner))
        assert len(play.outcomes) == expected
    assert max(found) <= 4
