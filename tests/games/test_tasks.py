"""Tasks and the watchdog: wake-ups that come doubled, late or never, and what the service loses in between."""

import dataclasses
import os
import subprocess
import sys
import time
from datetime import timedelta

import pytest
import redis
from django.conf import settings as project
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.utils import timezone

from games import dispatch, endings, processes, queue, tasks, watchdog, workers
from games.host_process import HostProcess
from games.job_making import runtime_directory
from games.models import Match, MatchAttempt, MatchRecord, SeatLog, Worker
from tests.games import making
from tests.games.processes import ROOT, celery_worker, running, states, until

pytestmark = pytest.mark.django_db(transaction=True)

LONG = dataclasses.replace(making.SHORT, deal_limit=40)


def broker():
    return redis.Redis.from_url(project.REDIS_URL)


def woken(name="cpu"):
    return broker().llen(name)


@pytest.fixture(autouse=True)
def _empty_broker():
    broker().flushall()
    yield
    broker().flushall()


def test_a_queued_match_sends_one_wake_up_once_it_is_committed():
    making.match()
    assert woken() == 1


@pytest.mark.usefixtures("broker_away")
def test_a_broker_that_is_away_loses_no_match():
    began = time.monotonic()
    match = making.match()
    Match.objects.update(woken_at=None)
    assert watchdog.wake_forgotten() == 0
    assert time.monotonic() - began < 3
    assert Match.objects.get() == match


def test_a_task_delivered_three_times_plays_the_match_once():
    match = making.match()
    for _ in range(3):
        tasks.play_cpu(match.pk)
    assert MatchRecord.objects.count() == 1
    assert Match.objects.get().attempt == 1


def test_a_wake_up_for_nothing_does_nothing():
    tasks.play_cpu(12345)
    tasks.play_waiting(None)
    assert not Match.objects.exists()


def test_the_watchdog_wakes_what_nobody_woke_and_does_not_repeat_itself():
    making.match()
    broker().flushall()
    assert watchdog.wake_forgotten() == 0
    Match.objects.update(woken_at=timezone.now() - timedelta(seconds=20))
    assert watchdog.watch()["woken"] == 1
    assert woken() == 1
    assert watchdog.wake_forgotten() == 0


def test_an_expired_lease_is_queued_again_and_a_live_one_is_left_alone():
    expired, live = making.match(), making.match()
    for match in (expired, live):
        queue.claim(match.pk, "w")
    Match.objects.filter(pk=expired.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert watchdog.end_lost_leases() == 1
    assert dict(Match.objects.values_list("pk", "state")) == {expired.pk: "queued", live.pk: "running"}
    assert "lease" in expired.attempts.get().cause


def test_private_logs_are_deleted_when_their_time_is_over(settings):
    match = making.match()
    old, new = (SeatLog.objects.create(match=match, attempt=1, seat=seat, turns=b"") for seat in range(2))
    SeatLog.objects.filter(pk=old.pk).update(
        created_at=timezone.now() - timedelta(days=settings.LOG_DAYS + 1)
    )
    assert watchdog.delete_old_logs() == 1
    assert SeatLog.objects.get() == new


def test_what_a_process_of_this_machine_played_is_queued_again_once_it_is_gone_whatever_its_worker_is_called():
    gone, alive, elsewhere = making.match(), making.match(), making.match()
    process = subprocess.Popen(["sleep", "60"])
    names = {alive: processes.own(), elsewhere: "0123456789abcdef-1-1"}
    try:
        began = processes._began(process.pid)
        names[gone] = f"{processes.machine()}-{process.pid}-{began}"
        for match, name in names.items():
            queue.claim(match.pk, "the same name")
            MatchAttempt.objects.filter(match=match).update(process=name)
        assert workers.end_attempts_of_lost_processes() == 0
    finally:
        process.kill()
    until(lambda: not running(process.pid), 5)
    assert workers.end_attempts_of_lost_processes() == 1
    process.wait()
    assert dict(Match.objects.values_list("pk", "state")) == {
        gone.pk: "queued",
        alive.pk: "running",
        elsewhere.pk: "running",
    }
    MatchAttempt.objects.update(
        process=f"{processes.machine()}-{os.getpid()}-1"
    )  # the number was given again
    assert workers.end_attempts_of_lost_processes() == 2


def test_a_worker_that_waited_long_for_its_database_hears_its_host_before_it_ends_overdue_leases(monkeypatch):
    match = making.match([making.sandboxed() for _ in range(3)], rules=LONG)
    monkeypatch.setattr(queue, "lease_s", lambda _open_ms: 5.0)
    monkeypatch.setattr(dispatch, "RENEW_S", 0)
    renew, waited = queue.renew, []

    def slowly(*args, **kwargs):
        if kwargs.get("deal", 0) >= 1 and not waited:
            waited.append(True)
            time.sleep(6)  # longer than the lease, while the host plays on and tells of it
        return renew(*args, **kwargs)

    monkeypatch.setattr(queue, "renew", slowly)
    tasks.play_cpu(match.pk)
    match.refresh_from_db()
    assert waited
    assert (match.state, match.attempt) == ("finished", 1), match.reason


@pytest.mark.e2e
def test_a_worker_goes_on_when_postgresql_drops_all_its_connections():
    rules = making.dataclasses.replace(making.SHORT, deal_limit=10)
    for _ in range(4):
        making.match([making.sandboxed() for _ in range(3)], rules=rules)
    with celery_worker():
        for count in (0, 2):
            until(lambda count=count: "running" in states() and states().count("finished") >= count)
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        until(lambda: states() == ["finished"] * 4)
    connection.close()
    connection.close_pool()  # its other connections were dropped as well
    assert MatchRecord.objects.count() == 4
    assert set(Match.objects.values_list("attempt", flat=True)) == {1}


@pytest.mark.e2e
def test_a_worker_told_to_end_plays_out_its_match_and_leaves_the_rest():
    rules = making.dataclasses.replace(making.SHORT, deal_limit=10)
    for _ in range(12):
        making.match([making.sandboxed() for _ in range(3)], rules=rules)
    with celery_worker() as worker:
        until(lambda: "finished" in states())
        worker.terminate()
        assert worker.wait(120) == 0
    assert "running" not in states()
    assert "queued" in states()
    assert not Match.objects.filter(attempts__outcome="infra_lost").exists()


@pytest.mark.e2e
def test_a_worker_without_a_safe_sandbox_exits_with_78_and_keeps_the_queue(monkeypatch):
    making.match()
    monkeypatch.setenv("SANDBOX_RUNTIME", "/proc/nowhere")
    with celery_worker() as worker:
        assert worker.wait(60) == 78
    row = Worker.objects.get()
    assert not row.healthy
    assert row.message
    assert Match.objects.get().state == "queued"


def test_the_host_dies_with_the_process_that_started_it():
    script = (
        "import django, os, sys; django.setup()\n"
        "from games.host_process import HostProcess\nfrom pathlib import Path\n"
        f"host = HostProcess(Path({str(runtime_directory() / 'orphan')!r}))\nprint(host.pid, flush=True)\nos.kill(os.getpid(), 9)"
    )
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "ladder.settings"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, cwd=ROOT, env=environment, check=False
    )
    pid = int(done.stdout)
    until(lambda: not running(pid), 5)


def test_a_host_gets_an_environment_without_secrets():
    host = HostProcess(runtime_directory() / "environment")
    try:
        environment = open(f"/proc/{host.pid}/environ").read()
        assert {part.split("=")[0] for part in environment.split("\0") if part} == {"PATH", "LANG"}
    finally:
        host.close()


def test_a_hung_host_is_given_up_when_the_lease_is_over(monkeypatch):
    match = making.match()
    monkeypatch.setattr(queue, "lease_s", lambda _open_ms: 2.0)
    monkeypatch.setattr(HostProcess, "send", lambda self, _job: os.kill(self.pid, 19))
    monkeypatch.setattr(endings, "RETRY_PAUSES_S", (60,))
    tasks.play_cpu(match.pk)
    match.refresh_from_db()
    assert (match.state, match.attempts.get().outcome) == ("queued", "infra_lost")


def test_the_deployment_check_names_a_missing_sandbox(settings):
    call_command("check", "--tag", "sandbox", "--deploy")
    settings.SANDBOX_RUNTIME = "/proc/nowhere"
    with pytest.raises(SystemCheckError, match=r"games\.E001"):
        call_command("check", "--tag", "sandbox", "--deploy")
