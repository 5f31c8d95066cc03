"""The published board: Newton's optimum, order independence, ties, versions, islands, rank ranges."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.board import Results, fit
from ladder.linear import cholesky, inverse, solve

C = math.log(10) / 400


def played(seed: int, bots: int = 8, matches: int = 60) -> list[tuple[list[int], list[int]]]:
    """Matches of three with random places, ties among them."""
    rng = random.Random(seed)
    result = []
    for _ in range(matches):
        ids = rng.sample(range(bots), 3)
        totals = [rng.gauss(ids[i] / 4, 1) // 0.5 for i in range(3)]
        result.append((ids, [1 + sum(other > mine for other in totals) for mine in totals]))
    return result


def counted(matches: list[tuple[list[int], list[int]]]) -> Results:
    results = Results.empty()
    for versions, places in matches:
        results.add(versions, places)
    return results


def ascend(matches: list[tuple[list[int], list[int]]], bots: int) -> list[float]:
    """The same optimum by plain coordinate steps, without Newton's matrix: an independent check (Elo, mean 1500)."""
    theta = [0.0] * bots
    precision = 1 / (300 * C) ** 2
    pairs = []
    for versions, places in matches:
        for i in range(3):
            for j in range(3):
                if i != j:
                    score = 1.0 if places[i] < places[j] else 0.5 if places[i] == places[j] else 0.0
                    pairs.append((versions[i], versions[j], score))
    for _ in range(400):
        for k in range(bots):
            slope, bend = -precision * theta[k], precision
            for a, b, score in pairs:
                if a == k:
                    p = 1 / (1 + math.exp(theta[b] - theta[a]))
                    slope += score - p
                    bend += p * (1 - p)
            theta[k] += slope / bend
    return [1500 + (t - sum(theta) / bots) / C for t in theta]


def test_the_board_is_the_greatest_posterior_found_by_another_method() -> None:
    matches = played(3)
    board = fit(counted(matches), {}, ()).by_version()
    for version, r in enumerate(ascend(matches, 8)):
        assert board[version].r == pytest.approx(r, abs=0.01)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32))
def test_the_same_results_in_any_order_give_the_same_board_to_the_last_bit(seed: int) -> None:
    matches = played(seed)
    shuffled = list(matches)
    random.Random(seed).shuffle(shuffled)
    assert fit(counted(matches), {}, (0, 1)) == fit(counted(shuffled), {}, (0, 1))


def test_a_match_taken_back_leaves_no_trace() -> None:
    matches = played(5)
    results = counted(matches)
    results.add([0, 1, 2], [1, 2, 3])
    results.add([0, 1, 2], [1, 2, 3], times=-1)
    assert fit(results, {}, (0,)) == fit(counted(matches), {}, (0,))


def test_the_house_bots_mean_is_1500() -> None:
    board = fit(counted(played(7)), {}, (2, 5)).by_version()
    assert (board[2].r + board[5].r) / 2 == pytest.approx(1500, abs=1e-5)


def test_ties_count_half() -> None:
    results = Results.empty()
    results.add([1, 2], [1, 1])
    board = fit(results, {}, (1,)).by_version()
    assert board[2].r == pytest.approx(1500, abs=1e-6)
    assert results.mean_f == 1.0


def test_more_matches_make_the_interval_smaller() -> None:
    few, many = (fit(counted(played(1, matches=m)), {}, ()).by_version() for m in (30, 300))
    assert all(many[v].sd < few[v].sd for v in many)


def test_a_later_version_starts_at_the_rating_of_the_one_before() -> None:
    results = Results.empty()
    for _ in range(200):
        results.add([1, 2], [1, 2])
        results.add([2, 1], [1, 2])
        results.add([3, 1], [1, 2])
    results.add([4, 1], [2, 1])
    free, tied = (fit(results, previous, (1,)).by_version() for previous in ({}, {4: 3}))
    assert free[4].r < 1500 < tied[4].r < tied[3].r


def test_islands_not_joined_to_the_house_bots_are_not_ranked() -> None:
    results = Results.empty()
    results.add([1, 2, 3], [1, 2, 3])
    results.add([7, 8, 9], [1, 2, 3])
    board = fit(results, {}, (1,))
    entries = board.by_version()
    assert [entries[v].joined for v in (1, 2, 3, 7, 8, 9)] == [True] * 3 + [False] * 3
    assert entries[7].ranks == ""
    assert {entry.version for entry in board.entries[3:]} == {7, 8, 9}


def test_a_version_chain_joins_an_island() -> None:
    results = Results.empty()
    results.add([1, 2], [1, 2])
    results.add([7, 8], [1, 2])
    assert fit(results, {7: 2}, (1,)).by_version()[8].joined


def test_rank_ranges_narrow_to_one_rank_when_all_is_clear() -> None:
    results = Results.empty()
    for won, pair in ((95, (1, 2)), (95, (2, 3)), (99, (1, 3))):
        for k in range(2000):
            results.add(pair, [1, 2] if k % 100 < won else [2, 1])
    assert [entry.ranks for entry in fit(results, {}, (2,)).entries] == ["1", "2", "3"]
    few = fit(counted(played(2, matches=10)), {}, ()).entries
    assert few[0].ranks.startswith("1-")


def test_no_results_make_an_empty_board() -> None:
    assert fit(Results.empty(), {}, (1,)).entries == ()


def test_a_matrix_times_its_inverse_is_one() -> None:
    rng = random.Random(1)
    base = [[rng.gauss(0, 1) for _ in range(12)] for _ in range(12)]
    matrix = [
        [sum(map(float.__mul__, a, b)) + (i == j) for j, b in enumerate(base)] for i, a in enumerate(base)
    ]
    inverted = inverse(matrix)
    for i in range(12):
        column = solve(cholesky(matrix), [float(k == i) for k in range(12)])
        assert column == pytest.approx([row[i] for row in inverted])
        for j in range(12):
            assert sum(matrix[i][k] * inverted[k][j] for k in range(12)) == pytest.approx(
                float(i == j), abs=1e-9
            )


def test_a_matrix_that_is_not_positive_definite_is_refused() -> None:
    with pytest.raises(ValueError, match="positive definite"):
        cholesky([[1.0, 2.0], [2.0, 1.0]])
