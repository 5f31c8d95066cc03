"""A worker between its tasks: it says that it is there, looks at its sandbox again, clears what no match uses."""

import os
import time
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.utils import timezone

from botapi.sandbox.groups import NoGroups, find
from games import job_making, queue, tasks, watchdog, workers
from games.dispatch import Dispatcher
from games.host_process import NoSandbox
from games.models import Match, Worker
from tests.games import making
from tests.games.processes import celery_worker, until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _development(settings):
    settings.DEBUG = True


def tending(looked_ago_s, unsafe=0):
    found = workers.Tending("w@here", "cpu", SimpleNamespace(value=unsafe), SimpleNamespace(value=0))
    found.looked -= looked_ago_s
    return found


def broken_runtime(settings):
    """What a machine looks like whose sandbox has stopped to work."""
    settings.SANDBOX_RUNTIME = "/proc/nowhere"


def test_a_canary_that_fails_in_the_hourly_look_turns_the_worker_red_and_keeps_the_queue(
    settings, monkeypatch
):
    workers.begin("w@here", ["cpu"])
    assert Worker.objects.get().healthy
    working = settings.SANDBOX_RUNTIME
    broken_runtime(settings)
    worker = tending(workers.LOOK_AGAIN_S + 1)
    worker.tend()
    row = Worker.objects.get()
    assert worker.unsafe.value
    assert not row.healthy
    assert row.message
    match = making.match([making.sandboxed(), making.house(), making.house()])
    monkeypatch.setattr(tasks, "_unsafe", worker.unsafe)
    settings.SANDBOX_RUNTIME = working
    tasks.play_cpu(match.pk)  # the sandbox works again, but nobody has looked yet
    assert Match.objects.get().state == "queued"
    worker.tend()
    assert worker.unsafe.value
    worker.looked -= workers.LOOK_SOONER_S + 1
    worker.tend()
    assert not worker.unsafe.value
    assert Worker.objects.get().healthy
    tasks.play_cpu(match.pk)
    assert Match.objects.get().state == "finished"


def test_a_worker_says_in_one_line_that_rlimits_alone_bound_the_bots(settings, capfd):
    settings.SANDBOX_REQUIRE_CGROUP = False
    workers.begin("w@here", ["cpu"])
    told = [line for line in capfd.readouterr().err.splitlines() if "cgroup" in line.lower()]
    assert told == [
        "Control groups are switched off (SANDBOX_REQUIRE_CGROUP=0): rlimits alone bound the bots."
    ]
    assert Worker.objects.get().healthy


def _without_groups():
    """Why this machine has no control groups for us; empty when it has."""
    try:
        find()
    except NoGroups as why:
        return str(why)
    return ""


def test_a_worker_that_must_have_control_groups_plays_in_them_or_refuses(settings, capfd):
    settings.SANDBOX_REQUIRE_CGROUP = True
    if lacking := _without_groups():
        with pytest.raises(SystemExit) as refusal:
            workers.begin("w@here", ["cpu"])
        assert refusal.value.code == workers.EXIT_REFUSED
        assert lacking in Worker.objects.get().message
        return
    workers.begin("w@here", ["cpu"])
    assert "Control groups" not in capfd.readouterr().err
    match = making.match([making.sandboxed(), making.house(), making.house()])
    assert Dispatcher(queue.CPU, "w@here").run(match.pk) == 1
    assert Match.objects.get().state == "finished"


def test_a_host_that_refuses_turns_the_worker_red_too(settings):
    broken_runtime(settings)
    making.match()
    with pytest.raises(Exception, match="runtime directory"):
        Dispatcher(queue.CPU, "w@here").run()
    assert Match.objects.get().state == "queued"


def test_between_two_looks_a_worker_only_says_that_it_is_there():
    workers.report("w@here", "cpu", backend="bwrap")
    Worker.objects.update(seen_at=timezone.now() - timedelta(hours=1))
    tending(workers.LOOK_AGAIN_S - 10).tend()
    assert timezone.now() - Worker.objects.get().seen_at < timedelta(minutes=1)


def test_in_production_no_worker_is_root(settings, monkeypatch):
    settings.DEBUG = False
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(NoSandbox, match="must not be root"):
        workers.refuse_root()
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    workers.refuse_root()


@pytest.mark.e2e
def test_a_real_worker_tends_its_row_while_it_has_nothing_to_do():
    with celery_worker():
        until(lambda: Worker.objects.filter(healthy=True).exists())
        Worker.objects.update(seen_at=timezone.now() - timedelta(hours=1))
        until(lambda: timezone.now() - Worker.objects.get().seen_at < timedelta(minutes=1))


IMPATIENT = """
import django, ladder.celery
django.setup()
from games import workers
workers.TEND_S, workers.LOOK_AGAIN_S, workers.LOOK_SOONER_S = 0.5, 2, 1
from celery.__main__ import main
main()
"""


@pytest.mark.e2e
def test_a_real_worker_whose_sandbox_goes_away_turns_red_plays_nothing_and_recovers(tmp_path_factory):
    """With hours that last two seconds."""
    place = tmp_path_factory.mktemp("machine")
    for parent in (place, *place.parents[:2]):
        parent.chmod(0o711)  # users of sandboxes must be able to pass
    runtime = place / "runtime"
    with celery_worker(
        name="w", program=("-c", IMPATIENT), SANDBOX_RUNTIME=str(runtime), SANDBOX_PACKAGES="off"
    ):
        until(lambda: Worker.objects.filter(name="w@here", healthy=True).exists())
        runtime.rename(place / "away")
        runtime.symlink_to(place / "away")
        until(lambda: Worker.objects.filter(name="w@here", healthy=False).exists())
        match = making.match()
        time.sleep(2)
        assert Match.objects.get(pk=match.pk).state == "queued"
        runtime.unlink()
        (place / "away").rename(runtime)
        Match.objects.update(woken_at=None)
        until(lambda: Worker.objects.filter(name="w@here", healthy=True).exists())
        until(lambda: watchdog.watch() and Match.objects.get(pk=match.pk).state == "finished")


def test_unpacked_bots_that_nobody_plays_are_cleared_away_and_come_back_when_needed():
    idle, playing, fresh = (making.sandboxed(f"{number} and None") for number in range(3))
    places = {version: job_making._materialise(version) for version in (idle, playing, fresh)}
    queue.claim(making.match([playing, making.house(), making.house()]).pk, "w")
    for version in (idle, playing):
        os.utime(places[version], (0, time.time() - job_making.UNUSED_S - 60))
    broken_off = places[idle].parent / ".unpacking-1"
    broken_off.mkdir(exist_ok=True)
    os.utime(broken_off, (0, 0))
    assert job_making.remove_unused_bots() >= 2
    assert [path.exists() for path in (*places.values(), broken_off)] == [False, True, True, False]
    assert job_making._materialise(idle) == places[idle]
    os.utime(places[playing], (0, 0))
    assert job_making._materialise(playing) == places[playing]
    assert time.time() - Path(places[playing]).stat().st_mtime < 60
