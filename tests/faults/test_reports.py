"""Results and wake-ups that come more than once, late, or together."""

import signal

import celery
import pytest

from games import queue, results
from games.models import Match
from ladder import rating_log
from tests.faults import stage
from tests.games import making
from tests.games.processes import celery_worker, running, until
from tests.games.test_queue import in_parallel

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.e2e]


def test_a_result_sent_five_times_and_in_parallel():
    pool = stage.pool()
    match = stage.match(pool, stage.table())
    claim = queue.claim(match.pk, "w")
    result = making.result_of(claim)
    assert sum(in_parallel(5, lambda: results.finish(match.pk, claim.attempt, result))) == 1
    assert not any(results.finish(match.pk, claim.attempt, result) for _ in range(5))
    in_parallel(5, lambda: rating_log.rate_finished(pool))
    stage.after(pool, 1)


def test_twenty_matches_that_share_their_bots_and_finish_together():
    pool, bots = stage.pool(), stage.table()
    claims = [queue.claim(stage.match(pool, bots[i % 3 :] + bots[: i % 3]).pk, "w") for i in range(20)]
    reports = [(claim.match.pk, claim.attempt, making.result_of(claim)) for claim in claims]

    def report():
        match, attempt, result = reports.pop()
        stored = results.finish(match, attempt, result)
        rating_log.rate_finished(pool)
        return stored

    assert in_parallel(20, report) == [True] * 20
    stage.after(pool, 20)
    assert set(pool.ratings.values_list("n", flat=True)) == {20}


def test_a_wake_up_delivered_three_times():
    pool = stage.pool()
    matches = [stage.match(pool, stage.table()) for _ in range(3)]
    for _ in range(2):
        for match in matches:
            celery.current_app.send_task("games.play_cpu", args=[match.pk], queue="cpu")
    with celery_worker(program=stage.impatient()):
        until(lambda: stage.over(3))
    stage.after(pool, 3)
    assert set(Match.objects.values_list("attempt", flat=True)) == {1}


def test_a_paused_worker_that_reports_after_its_lease():
    pool = stage.pool(stage.LONG)
    match = stage.match(pool, stage.table(0.01))
    with celery_worker(name="paused", program=stage.impatient()) as paused:
        until(lambda: stage.playing(deal=1))
        stage.stop_all(paused)
        with celery_worker(name="other", program=stage.impatient()):
            Match.objects.update(lease_until="2000-01-01T00:00Z")
            until(lambda: stage.over(1))
        stage.signal_all(paused, signal.SIGCONT)
        hosts = stage.hosts_of(paused)
        until(lambda: not any(running(pid) for pid in hosts))
    stage.after(pool, 1)
    match.refresh_from_db()
    assert (match.attempt, match.worker) == (2, "other@here")
