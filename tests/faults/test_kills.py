"""Processes that die or hang in the middle of a match."""

import os
import signal
import time

import pytest
from django.utils import timezone

from games.models import Match, MatchAttempt, Worker
from tests.faults import stage
from tests.games.processes import celery_worker, until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.e2e]


def outcomes():
    return list(MatchAttempt.objects.order_by("number").values_list("outcome", flat=True))


def test_kill_9_of_the_worker_at_deal_7():
    pool = stage.pool(stage.LONG)
    stage.match(pool, stage.table(0.01))
    with celery_worker(program=stage.impatient()) as worker:
        until(lambda: stage.playing(deal=7))
        worker.kill()
        worker.wait()
    assert MatchAttempt.objects.get().deal >= 7
    with celery_worker(name="successor", program=stage.impatient()):
        until(lambda: stage.over(1))
    stage.after(pool, 1)
    assert outcomes() == ["infra_lost", "finished"]


def test_kill_9_of_the_host_at_deal_7():
    pool = stage.pool(stage.LONG)
    stage.match(pool, stage.table(0.01))
    with celery_worker(program=stage.impatient()) as worker:
        until(lambda: stage.playing(deal=7))
        for pid in stage.hosts_of(worker):
            os.kill(pid, signal.SIGKILL)
        until(lambda: stage.over(1))
    stage.after(pool, 1)
    assert outcomes() == ["infra_lost", "finished"]


def test_a_hung_host_whose_worker_goes_on_to_tell_that_it_is_there():
    pool = stage.pool(stage.LONG)
    stage.match(pool, stage.table(0.01), clocks=stage.CLOCKS | {"bank_ms": 4_000, "hard_ms": 4_000})
    with celery_worker(program=stage.impatient(), MATCH_LEASE_S="4") as worker:
        until(lambda: stage.playing(deal=1))
        for pid in stage.hosts_of(worker):
            os.kill(pid, signal.SIGSTOP)
        until(lambda: "infra_lost" in outcomes())
        lost_at = timezone.now()
        until(lambda: Worker.objects.get().seen_at > lost_at)
        until(lambda: stage.over(1))
    stage.after(pool, 1)
    assert outcomes()[-1] == "finished"
    assert Match.objects.get().attempt == len(outcomes())


def test_a_worker_told_to_end_at_once_gives_its_match_back_and_no_attempt_is_lost():
    pool = stage.pool(stage.LONG)
    stage.match(pool, stage.table(0.01))
    with celery_worker(program=stage.impatient()) as worker:
        until(lambda: stage.playing(deal=1))
        worker.terminate()
        time.sleep(0.5)  # warm at first, as a supervisor does it
        worker.send_signal(signal.SIGQUIT)
        worker.wait()
    attempt = MatchAttempt.objects.get()
    assert (attempt.outcome, attempt.cause) == ("returned", "its worker was told to end")
    with celery_worker(name="successor", program=stage.impatient()):
        until(lambda: stage.over(1))
    stage.after(pool, 1)
    assert outcomes() == ["returned", "finished"]
