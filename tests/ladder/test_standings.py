"""Tournament standings: table points, ties, averages for what was missed, tie-breaks, who is out."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.formats import groups
from ladder.formats.lots import Lot
from ladder.formats.standings import Outcome, standings, table_points

LOT = Lot(b"a public lot")


def three(
    table: int, *members: int, places: tuple[int, ...] = (1, 2, 3), totals: tuple[int, ...] = ()
) -> Outcome:
    return Outcome(table, members, places, totals or tuple(1000 - 300 * place for place in places))


def listed(*arguments: Any, **options: Any) -> Any:
    """The standings; as Any, for a fraction may be compared with an int here."""
    return standings(*arguments, **options)


def by_entrant(lines: Any) -> Any:
    return {line.entrant: line for line in lines}


@pytest.mark.parametrize(
    ("places", "size", "points"),
    [
        ((1, 2, 3), 3, (2, 1, 0)),
        ((2, 1), 2, (0, 1)),
        ((4, 3, 2, 1), 4, (0, 1, 2, 3)),
        ((1, 1, 3), 3, (Fraction(3, 2), Fraction(3, 2), 0)),
        ((1, 2, 2), 3, (2, Fraction(1, 2), Fraction(1, 2))),
        ((1, 1, 1), 3, (1, 1, 1)),
        ((1, 2), 3, (2, 0)),
        ((1, 2, 3, 4), 3, (2, Fraction(4, 3), Fraction(2, 3), 0)),
    ],
)
def test_a_place_is_worth_the_places_behind_it_and_half_of_a_tie(
    places: tuple[int, ...], size: int, points: tuple[Fraction, ...]
) -> None:
    assert tuple(table_points(places, size)) == points


def test_points_of_all_rotations_are_summed() -> None:
    outcomes = [three(0, 1, 2, 3), three(0, 2, 3, 1, places=(2, 3, 1)), three(0, 3, 1, 2, places=(1, 2, 3))]
    lines = listed([1, 2, 3], outcomes, LOT, size=3)
    assert [(line.entrant, line.points, line.played) for line in lines] == [(1, 5, 3), (3, 2, 3), (2, 2, 3)]


def test_small_points_part_equal_table_points_then_wins_then_buchholz() -> None:
    small = [three(0, 1, 2, 3, totals=(700, 400, 10)), three(1, 2, 1, 3, totals=(800, 400, 20))]
    assert [line.entrant for line in listed([1, 2, 3], small, LOT, size=3)] == [2, 1, 3]
    wins = [
        Outcome(0, (1, 5), (1, 2), (500, 0)),
        Outcome(1, (1, 6), (2, 1), (500, 900)),
        Outcome(2, (2, 5), (1, 1), (500, 500)),
        Outcome(3, (2, 6), (1, 1), (500, 900)),
    ]
    lines = by_entrant(listed([1, 2, 5, 6], wins, LOT, size=2))
    assert (lines[1].points, lines[1].small) == (lines[2].points, lines[2].small) == (1, 1000)
    assert (lines[1].wins, lines[2].wins) == (1, 0)
    assert lines[1].rank is not None
    assert lines[2].rank == lines[1].rank + 1


def test_buchholz_counts_each_table_once_however_many_rotations() -> None:
    outcomes = [
        Outcome(7, (1, 2), (1, 2), (10, 0)),
        Outcome(7, (2, 1), (2, 1), (0, 10)),
        Outcome(8, (2, 3), (1, 2), (5, 0)),
    ]
    lines = by_entrant(listed([1, 2, 3], outcomes, LOT, size=2))
    assert (lines[1].buchholz, lines[2].buchholz, lines[3].buchholz) == (1, 2, 1)


def test_what_nothing_parts_is_parted_by_the_lot_alone() -> None:
    orders = {
        tuple(line.entrant for line in listed([1, 2, 3], [], Lot(bytes([seed])), size=3))
        for seed in range(40)
    }
    assert len(orders) == 6
    lines = listed([1, 2, 3], [], LOT, size=3)
    assert [line.rank for line in lines] == [1, 2, 3]
    assert lines == listed([3, 1, 2], [], LOT, size=3)


def test_a_bye_is_worth_ones_own_average_in_every_sum() -> None:
    outcomes = [three(0, 1, 2, 3, totals=(600, 300, 0)), three(1, 2, 1, 3, totals=(800, 400, 20))]
    lines = by_entrant(listed([1, 2, 3], outcomes, LOT, size=3, missed={1: 2}))
    mine = lines[1]
    assert (mine.points, mine.small, mine.wins) == (6, 2000, 2)
    assert (mine.played, mine.credited, mine.average) == (2, 2, Fraction(3, 2))
    assert lines[2].points == 3


def test_a_bye_before_the_first_match_is_worth_the_mean_of_a_table() -> None:
    (line,) = listed([1], [], LOT, size=3, missed={1: 3})
    assert (line.points, line.small, line.average) == (3, 0, 1)


def test_whoever_is_out_keeps_its_points_but_has_no_rank_and_frees_one() -> None:
    lines = listed([1, 2, 3], [three(0, 1, 2, 3)], LOT, size=3, out={1})
    assert [(line.entrant, line.rank, line.points) for line in lines] == [(2, 1, 1), (3, 2, 0), (1, None, 2)]


def test_a_voided_match_that_is_left_out_changes_nothing_but_itself() -> None:
    outcomes = [three(0, 1, 2, 3), three(1, 1, 2, 3)]
    after = by_entrant(listed([1, 2, 3], outcomes[:1], LOT, size=3, missed={1: 1, 2: 1, 3: 1}))
    assert (after[1].points, after[2].points, after[3].points) == (4, 2, 0)


def test_finalists_stand_before_all_others_and_these_by_place_in_group_then_average() -> None:
    first = [three(0, 1, 2, 3), three(1, 1, 2, 3)]
    second = [three(2, 4, 5, 6, places=(1, 2, 2))]
    ends = [listed(part, [*first, *second], LOT, size=3) for part in ((1, 2, 3), (4, 5, 6))]
    finalists = groups.qualified(ends, 1)
    assert finalists == [1, 4]
    final = listed(finalists, [Outcome(9, (4, 1), (1, 2), (9, 1))], LOT, size=3)
    ranking = groups.overall(final, ends, out={2})
    assert [line.entrant for line in ranking][:2] == [4, 1]
    assert ranking[-1].entrant == 2
    assert [line.rank for line in ranking] == [1, 2, 3, 4, 5, None]
    assert ranking[2].average >= ranking[3].average - 1


def test_an_entrant_that_is_out_does_not_qualify_and_the_next_one_does() -> None:
    end = listed([1, 2, 3], [three(0, 1, 2, 3)], LOT, size=3, out={1})
    assert groups.qualified([end], 2) == [2, 3]


@given(seed=st.integers(0, 10**6), count=st.integers(3, 9))
def test_the_points_of_all_matches_are_shared_out_and_the_order_is_that_of_the_sums(
    seed: int, count: int
) -> None:
    rng = random.Random(seed)
    outcomes = []
    for table in range(12):
        members = tuple(rng.sample(range(count), 3))
        totals = tuple(rng.randrange(-2, 3) * 10 for _ in members)
        places = tuple(1 + sum(other > mine for other in totals) for mine in totals)
        outcomes.append(Outcome(table, members, places, totals))
    lines = listed(range(count), outcomes, LOT, size=3)
    assert sum(line.points for line in lines) == 3 * len(outcomes)
    keys = [(line.points, line.small, line.wins, line.buchholz) for line in lines]
    assert keys == sorted(keys, reverse=True)
    rng.shuffle(outcomes)
    assert lines == listed(range(count), outcomes, LOT, size=3)
