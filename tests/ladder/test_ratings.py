"""Live rating: the formulas of ratings.md, worked by hand once and held by properties."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.ratings import (
    State,
    apportion,
    expected_score,
    explain,
    is_provisional,
    new_version,
    rate,
)

seeds = st.integers(min_value=0, max_value=2**32)


def table(seed: int) -> tuple[list[State], list[int]]:
    """States and places of a match of two, three or four, ties among them."""
    rng = random.Random(seed)
    players = rng.choice((2, 3, 4))
    states = [
        State(round(rng.uniform(-500, 3500), 6), round(rng.uniform(1, 300) ** 2, 6), rng.randrange(2000))
        for _ in range(players)
    ]
    totals = [rng.randrange(4) for _ in range(players)]
    return states, [1 + sum(other > mine for other in totals) for mine in totals]


def test_a_first_match_of_three_moves_ratings_as_worked_out_by_hand() -> None:
    # g = 1/sqrt(1 + 3·(ln10/400)²·90000/π²) = 0.724214; E = ½; f = 4/3
    # V' = 1/(1/90000 + c²·2·g²·¼/f) = 56766.1; first: R' = 1500 + V'·c/f·2·g·½
    c = math.log(10) / 400
    g = 1 / math.sqrt(1 + 3 * c * c * 90000 / math.pi**2)
    v = 1 / (1 / 90000 + c * c * 2 * g * g * 0.25 / (4 / 3))
    first, second, third = rate([State()] * 3, [1, 2, 3])
    assert g == pytest.approx(0.724214, abs=1e-4)
    assert first == (round(1500 + v * c * g / (4 / 3), 6), round(v, 6), 1)
    assert second == (1500.0, round(v, 6), 1)
    assert first.r - 1500 == pytest.approx(1500 - third.r, abs=1e-6)
    assert 176 < first.r - 1500 < 179


def plainly(states: list[State], places: list[int]) -> list[State]:
    """The formulas of ratings.md term by term, in the order of operations in which logs were written."""
    c, f, after = math.log(10) / 400, (len(states) + 1) / 3, []
    for i, mine in enumerate(states):
        information = surprise = 0.0
        for j, other in enumerate(states):
            if i != j:
                g = 1 / math.sqrt(1 + 3 * c * c / (math.pi * math.pi) * other.v)
                e = 1 / (1 + math.exp(-(c * g * (mine.r - other.r))))
                score = 1.0 if places[i] < places[j] else 0.5 if places[i] == places[j] else 0.0
                information += g * g * e * (1 - e)
                surprise += g * (score - e)
        v = 1 / (1 / mine.v + c * c * information / f)
        after.append(State(round(mine.r + v * c / f * surprise, 6), round(v, 6), mine.n + 1))
    return after


@given(seeds)
def test_a_match_is_rated_to_the_last_bit_as_the_formulas_say_so_that_old_logs_replay(seed: int) -> None:
    states, places = table(seed)
    assert rate(states, places) == plainly(states, places)


def test_two_equal_players_who_tie_keep_their_ratings_and_lose_variance() -> None:
    after = rate([State(), State()], [1, 1])
    assert [state.r for state in after] == [1500.0, 1500.0]
    assert all(state.v < 90000 for state in after)


@given(seeds)
def test_a_sole_winner_never_loses_rating_and_a_sole_last_never_gains(seed: int) -> None:
    states, places = table(seed)
    after = rate(states, places)
    for before, now, place in zip(states, after, places, strict=True):
        if place == 1 and places.count(1) == 1:
            assert now.r >= before.r
        if place == max(places) and places.count(place) == 1 and place > 1:
            assert now.r <= before.r


@given(seeds)
def test_variance_shrinks_in_every_match_and_n_grows_by_one(seed: int) -> None:
    states, places = table(seed)
    for before, now in zip(states, rate(states, places), strict=True):
        assert 0 < now.v <= before.v
        assert now.n == before.n + 1


@given(seeds, st.sampled_from([0, 1, 2, 6]))
def test_the_lines_of_an_explanation_add_up_exactly_to_the_change(seed: int, decimals: int) -> None:
    states, places = table(seed)
    after = rate(states, places)
    units = 10**decimals
    for seat in range(len(states)):
        lines = explain(states, places, seat, decimals)
        assert sum(line.change for line in lines) == round(after[seat].r * units) - round(
            states[seat].r * units
        )
        assert sorted(line.opponent for line in lines) == [i for i in range(len(states)) if i != seat]


@given(seeds)
def test_an_explanation_in_full_decimals_is_within_rounding_of_each_opponents_part(seed: int) -> None:
    states, places = table(seed)
    after = rate(states, places)
    c, f = math.log(10) / 400, (len(states) + 1) / 3
    for line in explain(states, places, 0):
        other = states[line.opponent]
        g = 1 / math.sqrt(1 + 3 * c * c * other.v / math.pi**2)
        part = after[0].v * c / f * g * (line.score - line.expected)
        assert line.change / 1e6 == pytest.approx(part, abs=5e-6)


@given(seeds)
def test_seats_do_not_matter_only_places_do(seed: int) -> None:
    states, places = table(seed)
    order = list(range(len(states)))
    random.Random(seed + 1).shuffle(order)
    straight = rate(states, places)
    shuffled = rate([states[i] for i in order], [places[i] for i in order])
    for k, i in enumerate(order):
        assert shuffled[k].r == pytest.approx(straight[i].r, abs=2e-6)
        assert shuffled[k].v == pytest.approx(straight[i].v, abs=2e-6)


@given(seeds)
def test_states_are_rounded_to_six_decimals_so_that_a_replay_is_equal(seed: int) -> None:
    states, places = table(seed)
    for now in rate(states, places):
        assert (round(now.r, 6), round(now.v, 6)) == (now.r, now.v)
        assert float(f"{now.r:.6f}") == now.r


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.integers(-6, 6))
def test_apportioned_numbers_sum_to_the_total(values: list[float], extra: int) -> None:
    total = round(sum(values)) + extra
    assert sum(apportion(values, total)) == total


def test_an_uncertain_opponent_counts_less() -> None:
    sure, unsure = State(1700, 10.0**2), State(1700, 300.0**2)
    assert expected_score(1500, sure) < expected_score(1500, unsure) < 0.5


def test_a_new_version_carries_the_rating_and_grows_in_variance_up_to_a_newcomers() -> None:
    assert new_version(None) == State(1500.0, 90000.0, 0)
    assert new_version(State(1623.25, 1600.0, 80)) == State(1623.25, 5200.0, 0)
    assert new_version(State(1623.25, 89999.0, 1)).v == 90000.0


def test_about_37_matches_against_equals_end_the_provisional_time() -> None:
    state, equal, n = State(), State(1500, 50.0**2, 99), 0
    while state.provisional:
        state = rate([state, equal, equal], [2, 1, 3])[0]
        n += 1
    assert 30 <= n <= 45
    assert not is_provisional(state.v)


def test_the_interval_is_1_96_standard_deviations_each_way() -> None:
    assert State(1500, 100.0).interval == pytest.approx((1480.4, 1519.6))


@pytest.mark.parametrize(("states", "places"), [([State()], [1]), ([State(), State()], [1, 2, 3])])
def test_a_table_without_a_place_for_each_of_two_or_more_is_refused(
    states: list[State], places: list[int]
) -> None:
    with pytest.raises(ValueError, match="rated match"):
        rate(states, places)


def test_extreme_differences_do_not_overflow() -> None:
    after = rate([State(-1e6, 100.0), State(1e6, 100.0)], [2, 1])
    assert after[0].r == -1e6
