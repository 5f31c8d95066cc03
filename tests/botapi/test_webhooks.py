"""Webhooks against a real HTTP server: signatures, retries, addresses, and which events are told."""

import json
import re
import threading
import time
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core import mail
from django.utils import timezone
from rest_framework.test import APIClient

from botapi import bots, signing, submissions, webhook_sending, webhooks
from botapi.errors import DomainError
from botapi.models import Bot, WebhookEvent
from tests.botapi.test_submissions import author, passed, sandbox_bot, submit

pytestmark = pytest.mark.django_db


class Receiver(BaseHTTPRequestHandler):
    """Keeps what it gets and answers with the next of its statuses."""

    got: list[tuple[dict[str, str], bytes]] = []
    statuses: list[int] = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
        status = self.statuses.pop(0) if self.statuses else 204
        self.send_response(status)
        if status == 302:
            self.send_header("location", "/elsewhere")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def receiver():
    handler = type("Fresh", (Receiver,), {"got": [], "statuses": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    handler.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    yield handler
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def development(settings):
    settings.BOT_ENDPOINTS_ALLOW_PRIVATE = True


def kinds(receiver):
    return [json.loads(body)["type"] for _, body in receiver.got]


def due_again():
    WebhookEvent.objects.update(next_at=timezone.now())


def test_an_event_arrives_signed_with_the_secret_that_was_shown(receiver):
    user = author()
    secret = webhooks.set_webhook(user, receiver.url)
    event = webhooks.ping(user)
    assert webhook_sending.send_due() == 1
    ((headers, body),) = receiver.got
    signing.verify([secret], headers, body, now=time.time())
    assert headers["webhook-id"] == event.event_id
    assert headers["content-type"] == "application/json"
    assert json.loads(body).keys() == {"type", "timestamp", "data"}
    event.refresh_from_db()
    assert (event.state, event.answer) == ("delivered", "HTTP status 204")
    assert webhook_sending.send_due() == 0


def test_check_suspension_and_return_are_told_and_the_last_two_by_mail_as_well(
    receiver, django_capture_on_commit_callbacks
):
    bot = sandbox_bot()
    webhooks.set_webhook(bot.owner, receiver.url)
    with django_capture_on_commit_callbacks(execute=True):
        version, _ = submit(bot)
        submissions.record_check(version, passed())
        bots.suspend_bot(bot, cause=Bot.Suspension.FAULTS, reason="Three in a row.", details="its stderr")
        bots.lift_suspension(bot)
    webhook_sending.send_due()
    assert sorted(kinds(receiver)) == ["bot.checked", "bot.resumed", "bot.suspended"]
    told = {json.loads(body)["type"]: json.loads(body)["data"] for _, body in receiver.got}
    assert told["bot.checked"]["state"] == "passed"
    assert told["bot.checked"]["version"] == 1
    assert told["bot.suspended"]["reason"] == "Three in a row."
    suspended, resumed = mail.outbox
    assert "Three in a row." in suspended.body
    assert "its stderr" in suspended.body
    assert "no longer suspended" in resumed.body


def test_a_passing_check_ends_the_suspension_and_tells_so(receiver):
    bot = sandbox_bot()
    webhooks.set_webhook(bot.owner, receiver.url)
    bots.suspend_bot(bot, cause=Bot.Suspension.FAULTS, reason="Three in a row.")
    version, _ = submit(bot)
    submissions.record_check(version, passed())
    webhook_sending.send_due()
    assert sorted(kinds(receiver)) == ["bot.checked", "bot.resumed", "bot.suspended"]


@pytest.mark.parametrize("status", [500, 404, 302, 429])
def test_an_event_is_sent_again_after_a_pause_with_the_same_id(receiver, status):
    user = author()
    webhooks.set_webhook(user, receiver.url)
    event = webhooks.ping(user)
    receiver.statuses[:] = [status]
    webhook_sending.send_due()
    event.refresh_from_db()
    assert (event.state, event.answer) == ("waiting", f"HTTP status {status}")
    assert event.next_at > timezone.now() + timedelta(seconds=5)
    assert webhook_sending.send_due() == 0
    due_again()
    webhook_sending.send_due()
    first, second = receiver.got
    assert first[0]["webhook-id"] == second[0]["webhook-id"]
    assert first[1] == second[1]
    event.refresh_from_db()
    assert event.state == "delivered"


def test_attempts_are_used_up_in_the_end():
    user = author()
    webhooks.set_webhook(user, "http://127.0.0.1:1/")
    event = webhooks.ping(user)
    for _ in range(len(webhooks.PAUSES_S) + 1):
        due_again()
        assert webhook_sending.send_due() == 1
    event.refresh_from_db()
    assert event.state == "failed"
    assert "Connect" in event.answer or "refused" in event.answer
    due_again()
    assert webhook_sending.send_due() == 0


def test_a_private_address_is_refused_when_it_is_set_and_when_it_is_called(settings, receiver):
    user = author()
    webhooks.set_webhook(user, receiver.url)
    event = webhooks.ping(user)
    settings.BOT_ENDPOINTS_ALLOW_PRIVATE = False
    webhook_sending.send_due()
    event.refresh_from_db()
    assert receiver.got == []
    assert re.fullmatch(r"no connection to [\w.]+:\d+: not a public address", event.answer)
    for url in ("https://127.0.0.1/", "https://10.0.0.1/x", "https://[::1]/", receiver.url):
        with pytest.raises(DomainError, match="public internet"):
            webhooks.set_webhook(user, url)


def test_outside_development_the_address_begins_with_https(settings):
    settings.BOT_ENDPOINTS_ALLOW_PRIVATE = False
    with pytest.raises(DomainError, match="https"):
        webhooks.set_webhook(author(), "http://93.184.216.34/")


def test_without_a_webhook_nothing_is_written_and_a_removed_one_drops_its_events(receiver):
    bot = sandbox_bot()
    bots.suspend_bot(bot, cause=Bot.Suspension.OPERATOR, reason="x")
    assert not WebhookEvent.objects.exists()
    webhooks.set_webhook(bot.owner, receiver.url)
    webhooks.ping(bot.owner)
    webhooks.remove_webhook(bot.owner)
    assert webhook_sending.send_due() == 0
    with pytest.raises(DomainError, match="Set the address"):
        webhooks.ping(bot.owner)


def test_pings_are_limited_and_old_events_are_forgotten(receiver):
    user = author()
    webhooks.set_webhook(user, receiver.url)
    for _ in range(webhooks.PINGS_A_MINUTE):
        webhooks.ping(user)
    with pytest.raises(DomainError, match="At most"):
        webhooks.ping(user)
    webhook_sending.send_due()
    webhooks.forget_old(now=timezone.now() + timedelta(days=31))
    assert not WebhookEvent.objects.exists()


def test_two_workers_do_not_take_the_same_event(receiver):
    user = author()
    webhooks.set_webhook(user, receiver.url)
    webhooks.ping(user)
    now = timezone.now()
    assert len(webhooks.take_due(now=now, limit=10)) == 1
    assert webhooks.take_due(now=now, limit=10) == []


def test_an_author_sets_tries_reads_and_removes_it_by_api(receiver):
    user, other = author(), author("eve")
    api = APIClient()
    api.force_authenticate(user)
    assert api.get("/api/v1/me/webhook/").status_code == 404
    made = api.put("/api/v1/me/webhook/", {"url": receiver.url}, format="json")
    assert made.status_code == 200
    assert made.json()["secret"].startswith("whsec_")
    assert api.post("/api/v1/me/webhook/ping/").status_code == 202
    webhook_sending.send_due()
    shown = api.get("/api/v1/me/webhook/").json()
    assert shown["url"] == receiver.url
    assert "secret" not in json.dumps(shown)
    (event,) = shown["events"]
    assert (event["kind"], event["state"], event["answer"]) == (
        "webhook.ping",
        "delivered",
        "HTTP status 204",
    )
    api.force_authenticate(other)
    assert api.get("/api/v1/me/webhook/").status_code == 404
    api.force_authenticate(user)
    refused = api.put("/api/v1/me/webhook/", {"url": "ftp://x"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_url")
    assert api.delete("/api/v1/me/webhook/").status_code == 204
    assert APIClient().get("/api/v1/me/webhook/").status_code == 401


def test_an_author_sets_tries_and_removes_it_on_the_page(receiver, client):
    assert client.get("/me/webhook/").status_code == 302
    client.force_login(author())
    assert "Send events there" in client.get("/me/webhook/").content.decode()
    page = client.post("/me/webhook/", {"url": receiver.url}).content.decode()
    assert "whsec_" in page
    assert "whsec_" not in client.get("/me/webhook/").content.decode()
    client.post("/me/webhook/ping/")
    webhook_sending.send_due()
    assert "HTTP status 204" in client.get("/me/webhook/").content.decode()
    bad = client.post("/me/webhook/", {"url": "nonsense"})
    assert bad.status_code == 400
    assert "must begin with" in bad.content.decode()
    client.post("/me/webhook/remove/")
    assert receiver.url not in client.get("/me/webhook/").content.decode()
