"""Streams: one subscription a process, everybody gets the latest state, whatever happens to Redis."""

import http.client
import time

import pytest
import redis
from asgiref.sync import async_to_sync
from django.conf import settings as project
from django.db import transaction

from games import private_streams, streams
from tests.games import web
from tests.plugin import SERVERS

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _listening_again(monkeypatch):
    monkeypatch.setattr(streams, "_failed_at", -streams.SILENT_S)


@pytest.fixture(scope="module")
def port(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), web.server() as port:
        yield port


def last(stream, channel, wanted):
    """Read until ``channel`` has told ``wanted``."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        _, name, data = stream.next()
        if (name, data) == (channel, wanted):
            return
    raise AssertionError(f"{wanted} was never told")


def ends_of_redis():
    """Restart Redis, empty, and wait until it answers."""
    broker = next(child for child in SERVERS._children if child.program.name == "Redis")
    broker.process.kill()
    broker.process.wait()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        SERVERS.tend()
        try:
            if redis.Redis.from_url(project.REDIS_URL).ping():
                return
        except redis.ConnectionError:
            time.sleep(0.05)
    raise AssertionError("Redis did not come back")


def test_fifty_watchers_get_every_latest_state_and_go_on_after_redis_restarts(port):
    opened = [web.Stream(port, f"on=live:{1 + number % 3}&on=ladder") for number in range(50)]
    for number in range(1, 21):
        for table in (1, 2, 3):
            streams.publish(f"live:{table}", {"n": number}, keep_s=60)
    streams.publish("ladder", {"n": "all"}, keep_s=60)
    for number, stream in enumerate(opened):
        seen = {}
        while len(seen) < 2 or seen[f"live:{1 + number % 3}"] != {"n": 20}:
            _, name, data = stream.next()
            seen[name] = data
        assert seen["ladder"]["n"] == "all"
    ends_of_redis()
    for stream in opened:
        while stream.next()[1] != "again":
            pass
    streams.publish("ladder", {"n": "after"})
    for stream in opened:
        while stream.next()[2].get("n") != "after":
            pass
        stream.__exit__()


def test_who_comes_late_gets_the_last_state_that_is_kept(port):
    streams.publish("live:7", {"n": 1}, keep_s=60)
    streams.publish("live:7", {"n": 2}, keep_s=60)
    with web.Stream(port, "on=live:7") as stream:
        assert stream.next()[1:] == ("live:7", {"n": 2})
    with web.Stream(port, "on=live:7") as stream:
        assert stream.next()[1:] == ("live:7", {"n": 2})


def test_what_the_browser_has_seen_is_not_sent_again(port):
    streams.publish("live:8", {"n": 1}, keep_s=60)
    with web.Stream(port, "on=live:8") as stream:
        number = stream.next()[0]
    page_made = number + 60_000_000
    for query, headers in (
        ("on=live:8", f"Last-Event-ID: {number}\r\n"),
        (f"on=live:8&since={page_made}", ""),
    ):
        with web.Stream(port, query, headers) as stream:
            time.sleep(0.2)
            assert stream.events.empty()


def test_other_channels_are_not_heard(port):
    with web.Stream(port, "on=live:9") as stream:
        streams.publish("live:90", {"n": 1})
        streams.publish("live:9", {"n": 2})
        assert stream.next()[1:] == ("live:9", {"n": 2})


@pytest.mark.parametrize(
    "query",
    [
        "",
        "on=",
        "on=seat:1",
        "on=live:x",
        "on=live:1%0Ax",
        "on=*",
        "&".join(f"on=live:{table}" for table in range(1, 27)),
        "on=live&as=exe",
        "x=&" * 99,
    ],
)
def test_only_public_channels_can_be_watched(port, query):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", f"/streams/?{query}")
    assert connection.getresponse().status == 404


def test_a_stream_is_only_read(port):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", "/streams/?on=ladder")
    assert connection.getresponse().status == 405


def test_open_streams_do_not_keep_the_server_from_ending():
    with web.server() as port:
        stream = web.Stream(port, "on=ladder")
    assert stream.ended.wait(10)


def told_and_broken():
    streams.publish_on_commit("live:77", {"n": 1})
    raise ZeroDivisionError


def test_nothing_is_told_of_what_was_rolled_back(port):
    with web.Stream(port, "on=live:77") as stream:
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            told_and_broken()
        with transaction.atomic():
            streams.publish_on_commit("live:77", {"n": 2})
        assert stream.next()[1:] == ("live:77", {"n": 2})


def test_without_redis_telling_costs_little_and_raises_nothing(settings):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    for _ in range(1000):
        streams.publish("ladder", {})
    assert streams.kept(["ladder"]) == {}


def test_a_number_of_any_length_from_a_browser_opens_a_private_stream():
    for seen in ("9" * 5000, "x", "\u0661", "12"):
        assert async_to_sync(private_streams.stream)(["table:1:0"], seen=seen).streaming
