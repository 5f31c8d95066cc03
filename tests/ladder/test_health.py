"""``/healthz``: green when everything that plays is there, red when a part is away; what bots run on."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from games import workers
from games.models import Match, Worker
from ladder.models import UnratedMatch
from tests.games import making
from tests.ladder import making as ladder_making

ENVIRONMENT = {"python": "3.11.2", "name": "bots-1", "packages": {"numpy": "2.4.6"}, "reason": ""}


def health(expected):
    response = Client().get("/healthz")
    assert response.status_code == expected
    found = response.json()
    assert found["status"] == ("ok" if expected == 200 else "red")
    return found


@pytest.mark.django_db
def test_it_is_green_with_a_worker_that_plays_and_tells_what_bots_run_on():
    workers.report("one@here", "cpu,waiting", backend="bwrap", environment=ENVIRONMENT)
    found = health(200)
    assert (found["database"], found["broker"], found["bots_run_on"]) == (True, True, ENVIRONMENT)
    assert found["workers"] == [{"queue": "cpu,waiting", "backend": "bwrap", "healthy": True}]


@pytest.mark.django_db
def test_it_tells_why_bots_have_no_packages():
    without = ENVIRONMENT | {"name": "", "packages": {}, "reason": "bots-1 has not been built"}
    workers.report("one@here", "cpu", backend="bwrap", environment=without)
    assert health(200)["bots_run_on"] == without


@pytest.mark.django_db
def test_it_is_red_while_nobody_plays_or_a_worker_found_no_safe_sandbox():
    assert health(503)["workers"] == []
    workers.report("one@here", "waiting", backend="bwrap")
    health(503)
    workers.report("two@here", "cpu", backend="bwrap")
    health(200)
    workers.report("three@here", "cpu", message="No safe sandbox on this machine; a secret path")
    assert "secret" not in str(health(503))
    Worker.objects.filter(name="three@here").update(seen_at=timezone.now() - timedelta(minutes=5))
    health(200)


@pytest.mark.django_db
def test_it_is_red_without_a_broker(settings):
    workers.report("one@here", "cpu", backend="bwrap")
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert health(503)["broker"] is False


@pytest.mark.django_db
def test_it_is_only_read():
    assert Client().post("/healthz").status_code == 405
    assert "no-store" in Client().get("/healthz")["cache-control"]


@pytest.mark.django_db
def test_it_counts_what_an_operator_must_look_at_and_stays_green():
    workers.report("one@here", "cpu", backend="bwrap")
    assert health(200)["alarms"] == {"failed_matches": 0, "unrated_matches": 0}
    match = making.match()
    Match.objects.update(state="failed", finished_at=timezone.now())
    pool = ladder_making.pool()
    UnratedMatch.objects.create(pool=pool, match=match, reason="a test says so")
    assert health(200)["alarms"] == {"failed_matches": 1, "unrated_matches": 1}
