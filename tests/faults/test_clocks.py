"""Clocks that are wrong, and a clock of the service that ticks twice."""

import os
import signal

import pytest

from games.models import Match, MatchAttempt
from ladder import seasons
from tests.faults import stage
from tests.games.processes import beat, celery_worker, descendants, until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.e2e]

STEPPED = """
import time_machine
from datetime import datetime, timedelta, timezone
from celery.signals import worker_process_init

def step(*_):
    time_machine.travel(datetime.now(timezone.utc) + timedelta(hours={hours}), tick=True).start()

signal.signal(signal.SIGRTMIN, step)
"""
"""A worker whose wall clock jumps at a signal: ``time.time`` and ``datetime.now`` of its process and its pool's. The
handler is inherited by the pool; hosts keep the machine's clock, they measure with the monotonic one."""


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_workers_clock_stepped_by_an_hour_in_the_middle_of_its_matches(hours):
    pool = stage.pool(stage.LONG)
    for _ in range(3):
        stage.match(pool, stage.table(0.005))
    with celery_worker(program=stage.impatient(STEPPED.replace("{hours}", str(hours)))) as worker:
        until(lambda: stage.playing(deal=1))
        hosts = stage.hosts_of(worker)
        for pid in {worker.pid, *descendants(worker.pid)} - set(hosts):
            if b"celery" in stage.command_of(pid):
                os.kill(pid, signal.SIGRTMIN)
        os.kill(hosts[0], signal.SIGKILL)  # what is lost now is repeated at once all the same
        until(lambda: stage.over(3))
    stage.after(pool, 3)
    assert MatchAttempt.objects.filter(outcome="infra_lost").count() == 1
    apart = [abs((one.finished_at - one.created_at).total_seconds()) for one in Match.objects.all()]
    assert max(apart) > 3000, "the clock was not stepped"


@pytest.mark.timeout(1800)  # three waits for processes that start at once
def test_two_beats():
    pool = stage.pool(queue_target=2)
    stage.table()
    stage.table()
    with celery_worker(program=stage.impatient()):
        with beat(), beat():
            until(lambda: Match.objects.filter(state="finished").count() >= 6)
            until(lambda: pool.events.filter(kind="match").count() >= 3)
        seasons.close_season(pool.season)  # both lock it: a matchmaking under way ends first
        until(lambda: stage.over(6))
    stage.after(pool, Match.objects.count())
    assert set(Match.objects.values_list("attempt", flat=True)) == {1}
