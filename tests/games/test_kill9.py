"""A worker killed in the middle of its matches: a real Celery worker, real hosts, real sandboxes."""

import dataclasses

import pytest

from engine import PRESETS
from engine.record import verify
from games.models import Fault, Match, MatchAttempt, MatchRecord
from tests.games import making
from tests.games.processes import celery_worker, descendants, running, states, until
from tests.games.replaying import record_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.e2e]
RULES = dataclasses.replace(PRESETS["pl-3"], deal_limit=8)


def test_a_worker_killed_in_the_middle_of_ten_matches_loses_and_doubles_nothing():
    bots = [making.sandboxed() for _ in range(6)]
    matches = [
        making.match([bots[i % 6], bots[(i + 1) % 6], bots[(i + 2) % 6]], rules=RULES, rated=True)
        for i in range(10)
    ]
    with celery_worker() as worker:
        until(lambda: "running" in states() and states().count("finished") >= 2)
        until(lambda: MatchAttempt.objects.filter(outcome="running").exists())
        started = descendants(worker.pid)
        assert len(started) > 2
        worker.kill()
        worker.wait()
        until(lambda: not any(running(pid) for pid in started))
    left = states()
    assert "running" in left
    with celery_worker():
        until(lambda: states() == ["finished"] * 10)

    finished = Match.objects.order_by("finish_seq")
    assert len(set(finished.values_list("finish_seq", flat=True))) == 10
    assert MatchRecord.objects.count() == 10
    for match in finished:
        verify(record_of(match))
        outcomes = list(match.attempts.values_list("outcome", flat=True))
        assert outcomes.count("finished") == 1
        assert outcomes == ["infra_lost"] * (len(outcomes) - 1) + ["finished"]
        assert match.logs.values("seat").distinct().count() == 3
        assert set(match.logs.values_list("attempt", flat=True)) == {match.attempt}
    assert MatchAttempt.objects.filter(outcome="infra_lost").count() == left.count("running")
    assert not Fault.objects.exists()
    assert {seat.version.bot.state for match in matches for seat in match.seats.all()} == {"active"}
