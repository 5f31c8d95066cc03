"""Streams: one subscription a process, everybody gets the latest state, whatever happens to Redis."""

import http.client
import json
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


def refused(port, query="on=live:5", method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(method, f"/streams/?{query}")
    answer = connection.getresponse()
    return answer, json.loads(answer.read())


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
    answer, problem = refused(port, query)
    assert (answer.status, problem["code"]) == (404, "not_found")


def test_a_stream_is_only_read(port):
    assert refused(port, "on=ladder", "POST")[0].status == 405


def test_an_address_has_so_many_streams_and_is_told_when_to_come_again():
    with web.server(STREAMS_OPEN="3") as port:
        opened = [web.Stream(port, f"on=live:{number}") for number in range(3)]
        answer, problem = refused(port)
        assert (answer.status, problem["code"], problem["status"]) == (429, "too_many_streams", 429)
        assert answer.headers["content-type"] == "application/problem+json"
        assert int(answer.headers["retry-after"]) > 0
        assert "3 streams are open" in problem["detail"]
        with web.Stream(port, "on=live:6", "X-Forwarded-For: 192.0.2.1\r\n") as elsewhere:
            assert elsewhere.status == 200  # the proxy on loopback is trusted about who asks
        opened.pop().__exit__()
        seated = []
        deadline = time.monotonic() + 20
        while not seated and time.monotonic() < deadline:
            stream = web.Stream(port, "on=live:7")
            if stream.status == 200:
                seated.append(stream)
        assert seated, "the place of a stream that was closed is free again"
        for stream in (*opened, *seated):
            stream.__exit__()


def test_five_hundred_watch_from_one_address_where_the_setting_allows_it():
    with web.server(STREAMS_OPEN="500") as port:
        opened = [web.Stream(port, "on=live:5") for _ in range(500)]
        assert {stream.status for stream in opened} == {200}
        assert refused(port)[0].status == 429
        streams.publish("live:5", {"n": 1})
        assert all(stream.next()[2] == {"n": 1} for stream in opened)
        for stream in opened:
            stream.__exit__()


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


def test_an_address_has_so_many_streams_of_its_own_tables(settings):
    settings.STREAMS_OPEN = 1

    async def statuses():
        first = await private_streams.stream(["table:1:0"], {"match": 1}, address="192.0.2.7")
        parts = aiter(first)
        await anext(parts)
        await anext(parts)  # it is watched now
        second = await private_streams.stream(["table:1:0"], address="192.0.2.7")
        other = await private_streams.stream(["table:1:0"], address="192.0.2.8")
        await parts.aclose()
        return first.status_code, second.status_code, second["Retry-After"], other.status_code

    assert async_to_sync(statuses)() == (200, 429, "30", 200)
