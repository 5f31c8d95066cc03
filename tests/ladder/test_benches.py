"""Benches judge what they measure: a figure that is not as it must be is said, and ends them with exit code 1."""

import json

import pytest

from bench import _once_probe, finish, ratings, reads, watchers
from games import results
from ladder.models import Pool
from ladder.rating_log import rate_finished
from tests.ladder import making

CHECKS = ("_accuracy", "_coverage", "_uploads", "_orders", "_islands", "_reference", "_audit", "_once")


def run_ratings(monkeypatch, capsys, *arguments, ok=True):
    """Exit code, which checks ran with how many ladders, and the lines of ``bench ratings`` whose checks do nothing."""
    ran = []

    def check(name):
        def one(seeds, quick):
            ran.append((name, len(seeds), quick))
            yield ratings.Line(name, 1.23456, "Elo", "<= 2", ok or name != "_orders")

        return one

    for name in CHECKS:
        monkeypatch.setattr(ratings, name, check(name))
    code = ratings.main(arguments)
    return code, ran, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_ratings_are_measured_on_as_many_ladders_as_demanded_unless_a_quick_look_is_wanted(
    monkeypatch, capsys
):
    code, ran, lines = run_ratings(monkeypatch, capsys)
    assert (code, ran) == (0, [(name, 16, False) for name in CHECKS])
    assert {(line["seeds"], line["value"]) for line in lines} == {(16, 1.2346)}
    code, ran, lines = run_ratings(monkeypatch, capsys, "--quick")
    assert (code, ran) == (0, [(name, 2, True) for name in CHECKS[:-1]])


def test_one_row_that_misses_what_it_must_reach_ends_ratings_with_1(monkeypatch, capsys):
    code, _, lines = run_ratings(monkeypatch, capsys, "--seeds", "3", ok=False)
    assert code == 1
    assert [line["name"] for line in lines if not line["ok"]] == ["_orders"]


@pytest.fixture
def rated():
    """A pool with house bots that have played, and its bots."""
    pool = making.pool()
    table = making.versions(3, house=3)
    making.finished(pool, table)
    rate_finished(pool)
    return Pool.objects.select_related("season__series").get(pk=pool.pk), table


@pytest.mark.django_db(transaction=True)
def test_a_result_sent_twice_or_by_eight_at_once_leaves_the_state_of_one(rated):
    pool, table = rated
    assert _once_probe._sent_again(pool, table) == 0
    assert _once_probe._sent_at_once(pool, table) == 0


@pytest.mark.django_db(transaction=True)
def test_a_service_that_took_a_result_twice_would_be_found_out(rated, monkeypatch):
    pool, table = rated
    first = results.finish
    monkeypatch.setattr(results, "finish", lambda *given: first(*given) or True)
    assert _once_probe._sent_again(pool, table) > 0
    assert _once_probe._sent_at_once(pool, table) > 0


def test_streams_are_judged_by_the_last_state_and_by_one_core(capsys):
    assert watchers.judge(0.7, 0, 500)
    assert not watchers.judge(0.7, 1, 500), "a reader does not have the last state"
    assert not watchers.judge(1.2, 0, 500), "more than one core would be needed"
    assert len(capsys.readouterr().out.splitlines()) == 6


@pytest.mark.parametrize(
    ("large", "held"),
    [
        ({}, True),
        ({"p50": 19.0}, True),
        ({"p95": 31.0}, False),
        ({"p95": 61.0}, False),
        ({"queries": 9}, False),
    ],
)
def test_pages_in_a_large_history_are_judged_by_p95_and_queries(large, held, capsys):
    small = {"n": 400, "p50": 10.0, "p95": 20.0, "clock_p95": 30.0, "queries": 8}
    assert reads.compare("bot", small, small | large) == held
    said = {line["name"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    assert said["reads_bot_times_p95"]["must"] == "<= 1.5"
    assert "reads_bot_times_p50" in said


def test_the_audit_of_a_million_matches_may_take_a_minute(capsys):
    assert reads.judge_audit({"matches": 1_000_000, "server_s": 59.0, "clock_s": 90.0})
    assert not reads.judge_audit({"matches": 1_000_000, "server_s": 61.0, "clock_s": 61.0})
    assert '"name": "audit_1000000"' in capsys.readouterr().out


@pytest.mark.parametrize(("slow", "held"), [((), True), ((25.0,) * 6, False), ((500.0,) * 5, False)])
def test_finishing_is_judged_by_mean_and_p95_of_database_time(slow, held, capsys):
    spent = [*slow, *(4.0,) * (100 - len(slow))]
    lines = [
        {f"{what}_{of}": ms for what in ("finish", "rate") for of in ("calls", "database", "queries")}
        for ms in spent
    ]
    assert finish.judge(lines) == held
    said = capsys.readouterr().out
    for what in ("finish", "rate", "finish_and_rate"):
        assert f'"{what}_database_mean"' in said
        assert f'"{what}_database_p95"' in said
