"""PostgreSQL and Redis that go away, forget, or are full."""

import os
import signal

import psycopg
import pytest
import redis
from django.conf import settings
from django.db import connection

from games import watchdog
from games.models import Match, MatchAttempt
from ladder.supervisor import children_of
from tests.faults import stage
from tests.games import making
from tests.games.processes import celery_worker, states, until
from tests.plugin import SERVERS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.e2e]


def test_redis_flushed_with_fifty_queued():
    pool = stage.pool()
    seats = [making.house(name) for name in ("greedy", "counter", "random")]
    for _ in range(50):
        stage.match(pool, seats)
    broker = redis.Redis.from_url(settings.REDIS_URL)
    assert broker.llen("cpu") >= 50
    broker.flushall()
    assert broker.llen("cpu") == 0
    with celery_worker(program=stage.impatient()):
        Match.objects.update(woken_at="2000-01-01T00:00Z")
        until(lambda: watchdog.watch() and states().count("finished") >= 5)
        broker.flushall()
        until(lambda: stage.over(50))
    stage.after(pool, 50)
    assert set(Match.objects.values_list("attempt", flat=True)) == {1}


def _postmaster():
    """The process id of the test run's own PostgreSQL."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = cursor.fetchone()[0]
    (found,) = [pid for pid in children_of(os.getpid()) if backend in children_of(pid)]
    return found


def _answers():
    SERVERS.tend()
    try:
        with psycopg.connect(os.environ["DATABASE_URL"], connect_timeout=1):
            return True
    except psycopg.OperationalError:
        return False


def test_postgresql_restarted():
    pool = stage.pool(stage.LONG)
    for _ in range(3):
        stage.match(pool, stage.table(0.005))
    with celery_worker(program=stage.impatient()):
        until(lambda: stage.playing(deal=1))
        os.kill(_postmaster(), signal.SIGINT)  # a fast shutdown: every connection is dropped
        stage.forget_connections()
        until(lambda: not _answers())
        until(_answers)
        until(lambda: stage.over(3))
    stage.after(pool, 3)
    assert set(Match.objects.values_list("attempt", flat=True)) == {1}


FULL = """
CREATE SEQUENCE full_disk_met;
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM nextval('full_disk_met');
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
END $$;
CREATE TRIGGER full_disk BEFORE INSERT ON games_matchrecord FOR EACH STATEMENT EXECUTE FUNCTION full_disk();
"""
"""What PostgreSQL says of a full disk (``disk_full``), raised where the record is stored: filling a real disk
would need a file system of the test's own. A sequence counts on, whatever is rolled back."""
FREED = """
DROP TRIGGER IF EXISTS full_disk ON games_matchrecord;
DROP FUNCTION IF EXISTS full_disk();
DROP SEQUENCE IF EXISTS full_disk_met;
"""


def _run(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)


def _met():
    """How often the full disk was met."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM full_disk_met")
        return cursor.fetchone()[0]


@pytest.fixture
def full_disk():
    _run(FULL)
    yield
    _run(FREED)


@pytest.mark.usefixtures("full_disk")
def test_the_disk_is_full_for_a_moment_while_results_are_stored():
    pool = stage.pool()
    for _ in range(2):
        stage.match(pool, stage.table())
    with celery_worker(program=stage.impatient()):
        until(lambda: _met() >= 3)
        assert "finished" not in states()
        _run(FREED)
        until(lambda: stage.over(2))
    stage.after(pool, 2)
    assert set(Match.objects.values_list("attempt", flat=True)) == {1}


@pytest.mark.usefixtures("full_disk")
def test_the_disk_stays_full_until_a_result_is_given_up():
    pool = stage.pool()
    stage.match(pool, stage.table())
    with celery_worker(program=stage.impatient("outages.DATABASE_PAUSES_S = (0.1,)")):
        until(lambda: MatchAttempt.objects.filter(outcome="infra_lost").exists())
        _run(FREED)
        until(lambda: stage.over(1))
    stage.after(pool, 1)
    assert "the result was not stored" in MatchAttempt.objects.get(number=1).cause
