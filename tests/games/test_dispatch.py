"""The worker's side of the host: real host processes, real sandboxes, real rows."""

import json
import zlib

import pytest

from botapi import secrets, signing
from botapi.errors import PlatformError
from botapi.models import EndpointSecret, Version
from engine.record import verify
from games import check_queue, job_making, queue, results
from games.dispatch import Dispatcher
from games.host_process import HostProcess
from games.models import Match, Worker
from tests.botapi.drivers.test_http import SECRET, sample_bot
from tests.games import making

pytestmark = pytest.mark.django_db(transaction=True)


def play(queue_name="cpu", match_id=None):
    return Dispatcher(queue_name, "tester").run(match_id)


def signed_endpoint(url):
    version = making.endpoint(url)
    EndpointSecret.objects.create(bot=version.bot, ciphertext=secrets.encrypt(SECRET))
    return version


def test_queued_matches_of_house_bots_are_played_to_the_end_and_recorded():
    first, second = making.match(), making.match()
    assert play() == 2
    for match in Match.objects.filter(pk__in=[first.pk, second.pk]):
        assert match.state == "finished", match.reason
        assert match.deals == 2
        assert match.end_reason == "deal_limit"
        record = json.loads(match.record.body)
        verify(record)
        assert [seat.place for seat in match.seats.all()] == record["result"]["places"]
        assert [seat.total for seat in match.seats.all()] == record["result"]["totals"]


def test_uploaded_bots_play_in_the_sandbox_and_their_private_logs_are_kept():
    match = making.match([making.sandboxed(), making.house(), making.sandboxed()])
    assert play(match_id=match.pk) == 1
    match.refresh_from_db()
    assert match.state == "finished", match.reason
    assert set(match.logs.values_list("seat", flat=True)) == {0, 2}
    assert match.record.timings["0"]["turns"] > 1
    assert not match.faults.exists()
    worker = Worker.objects.get(name="tester")
    assert worker.healthy
    assert worker.backend in ("bwrap", "landlock")


def test_an_endpoint_plays_with_signed_requests_beside_a_sandboxed_bot(monkeypatch):
    handed = []
    send = HostProcess.send
    monkeypatch.setattr(HostProcess, "send", lambda host, job: (handed.append(job), send(host, job)))
    with sample_bot() as url:
        version = signed_endpoint(url)
        mixed = making.match([version, making.sandboxed(), making.house()])
        alone = making.match([making.house(), version, making.house("first")])
        assert {mixed.waiting, alone.waiting} == {True}
        assert play("cpu") == 0
        assert play("waiting") == 2
    for match in Match.objects.filter(pk__in=[mixed.pk, alone.pk]):
        assert match.state == "finished", match.reason
        assert not match.faults.exists()
    holding = {message["match"] for message in handed if SECRET in json.dumps(message)}
    assert holding == {str(alone.pk)}
    assert any(message["type"] == "signed" and message["match"] == str(mixed.pk) for message in handed)


def test_a_wake_up_for_a_match_of_the_other_queue_begins_nothing():
    with sample_bot() as url:
        with_endpoint = making.match([signed_endpoint(url), making.house(), making.house("first")])
        own = making.match()
        assert play("cpu", with_endpoint.pk) == 1
        assert play("waiting", own.pk) == 1
    assert set(with_endpoint.attempts.values_list("number", "outcome")) == {(1, "finished")}
    assert set(own.attempts.values_list("number", "outcome")) == {(1, "finished")}


def asked(**changes):
    """A host's request for a signature, in attempt 2 of match 7, whose endpoint sits in seat 1."""
    message_id = changes.get("id", "7/2/1/0")
    body = json.dumps({"v": 1, "type": "act", "id": message_id})
    request = {
        "type": "sign",
        "match": "7",
        "attempt": 2,
        "seat": 1,
        "id": message_id,
        "timestamp": 1000,
        "body": body,
    }
    return request | changes  # fmt: skip


def test_the_worker_signs_what_its_match_says_to_its_endpoint():
    answer = job_making.sign(asked(), {1: [SECRET]}, now=1001.5)
    assert (answer["match"], answer["attempt"], answer["id"]) == ("7", 2, "7/2/1/0")
    signing.verify([SECRET], answer["headers"], asked()["body"].encode(), now=1001)


@pytest.mark.parametrize(
    "changes",
    [
        {"seat": 0},
        {"seat": 2, "id": "7/2/2/0"},
        {"seat": None},
        {"id": "8/2/1/0"},
        {"id": "7/1/1/0"},
        {"id": "7/2/0/0"},
        {"id": "7/2/1/"},
        {"id": "7/2/1/0/7"},
        {"id": "evt_1"},
        {"id": ""},
        {"timestamp": 939},
        {"timestamp": 1061},
        {"body": json.dumps({"v": 1, "type": "act", "id": "7/2/1/1"})},
        {"body": json.dumps({"v": 1, "type": "act", "id": "7/2/1/0", "state": "x" * (1 << 20)})},
    ],
)
def test_the_worker_signs_nothing_else(changes):
    with pytest.raises(PlatformError, match="the host asked for a signature"):
        job_making.sign(asked(**changes), {1: [SECRET]}, now=1000)


def test_a_host_that_asks_for_a_foreign_signature_loses_that_match_alone(monkeypatch):
    heard, events = [], HostProcess.events

    def overheard(host, seconds):
        said = events(host, seconds)
        for event in said:
            if event["type"] == "sign" and not heard:
                heard.append(event["seat"])
                event["seat"] = 2
        return said

    monkeypatch.setattr(HostProcess, "events", overheard)
    with sample_bot() as url:
        version = signed_endpoint(url)
        alone = making.match([version, making.house(), making.house("first")])
        mixed = making.match([version, making.sandboxed(), making.house()])
        assert play("waiting") == 3
    lost, repeated = mixed.attempts.order_by("number")
    assert "asked for a signature" in lost.cause
    assert (repeated.outcome, alone.attempts.get().outcome) == ("finished", "finished")


def test_what_a_starved_machine_lost_is_repeated_in_a_slot_of_its_own_with_longer_clocks():
    with sample_bot() as url:
        version = signed_endpoint(url)
        before, repeated, after, last = [
            making.match([version, making.house(), making.house("first")]) for _ in range(4)
        ]
        claim = queue.claim(repeated.pk, "tester")
        assert not claim.alone
        results.infra_lost(repeated.pk, claim.attempt, "starved: a test says so")
        assert play("waiting") == 4
    repeat, *others = [match.attempts.last() for match in (repeated, before, after, last)]
    assert {attempt.outcome for attempt in (repeat, *others)} == {"finished"}
    assert repeat.number == 2
    for other in others:
        assert other.ended_at <= repeat.started_at or other.started_at >= repeat.ended_at
    assert others[1].started_at < others[2].ended_at
    assert others[2].started_at < others[1].ended_at
    hello = json.loads(zlib.decompress(repeated.logs.get().turns))[0]["request"]
    assert hello["time"] == {name: making.CLOCKS[name] * 3 for name in ("act_ms", "bank_ms", "hard_ms")}


def test_the_check_of_a_version_is_a_match_of_the_queue_and_its_outcome_goes_to_the_version():
    good, bad = making.sandboxed(), making.sandboxed("import json\nraise RuntimeError('on purpose')\n")
    Version.objects.filter(pk__in=[good.pk, bad.pk]).update(state="pending")
    assert check_queue.queue_checks() == 2
    assert check_queue.queue_checks() == 0
    assert play() == 2
    good.refresh_from_db()
    bad.refresh_from_db()
    assert good.state == "passed", good.check_report
    assert bad.state == "refused"
    assert "on purpose" in bad.check_report["stderr"]
    assert set(Match.objects.values_list("klass", "state")) == {("check", "finished")}
