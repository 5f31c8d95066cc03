"""Authors hear of their finished matches by webhook: in the result's transaction, of their own seats alone."""

import json

import pytest
from django.db import transaction
from rest_framework.test import APIClient

from botapi import webhooks
from botapi.models import WebhookEvent
from games import queue, results
from games.models import Match
from tests.games import making

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _development(settings):
    settings.BOT_ENDPOINTS_ALLOW_PRIVATE = True
    settings.SITE_URL = "https://ladder.example/"


def told(user):
    events = WebhookEvent.objects.filter(webhook__user=user).order_by("pk")
    return [json.loads(event.body) for event in events]


def test_each_author_is_told_once_of_own_bots_and_a_house_bot_has_nobody():
    ann, bert = making.author(), making.author()
    seats = [making.sandboxed(owner=ann), making.house("greedy"), making.sandboxed(owner=ann)]
    for user in (ann, bert):
        webhooks.set_webhook(user, "http://127.0.0.1:9/")
    match = making.finished(seats, faults=[making.fault(0)])
    (event,) = told(ann)
    assert told(bert) == []
    assert event["type"] == "match.finished"
    data = event["data"]
    assert (data["match"], data["klass"], data["rated"], data["rules"]) == (
        match.pk,
        "ladder",
        False,
        "custom",
    )
    assert data["page"] == f"https://ladder.example/matches/{match.pk}/"
    rows = list(match.seats.order_by("index"))
    assert data["seats"] == [
        {
            "seat": row.index,
            "bot": row.version.bot.name,
            "version": 1,
            "place": row.place,
            "total": row.total,
            "faults": 1 if row.index == 0 else 0,
            "stood_in": False,
        }
        for row in (rows[0], rows[2])
    ]


def test_the_event_is_written_with_the_result_or_not_at_all():
    ann = making.author()
    webhooks.set_webhook(ann, "http://127.0.0.1:9/")
    match = making.match([making.sandboxed(owner=ann), making.house("greedy"), making.house("counter")])
    claim = queue.claim(match.pk, "tester")
    result = making.result_of(claim)
    with transaction.atomic():
        assert results.finish(match.pk, claim.attempt, result)
        transaction.set_rollback(True)
    assert told(ann) == []
    assert results.finish(match.pk, claim.attempt, result)
    assert not results.finish(match.pk, claim.attempt, result), "a report that comes twice"
    assert len(told(ann)) == 1


def test_checks_and_matches_of_events_tell_nothing():
    ann = making.author()
    webhooks.set_webhook(ann, "http://127.0.0.1:9/")
    seats = [making.sandboxed(owner=ann), making.house("greedy"), making.house("counter")]
    making.finished(seats, klass=Match.Class.EVENT)
    assert told(ann) == []


def test_an_address_that_does_not_answer_is_not_told_of_every_match(monkeypatch):
    monkeypatch.setattr(webhooks, "WAITING_MOST", 2)
    ann = making.author()
    webhooks.set_webhook(ann, "http://127.0.0.1:9/")
    bot = making.sandboxed(owner=ann)
    seats = [bot, making.house("greedy"), making.house("counter")]
    for _ in range(3):
        making.finished(seats)
    assert len(told(ann)) == 2
    WebhookEvent.objects.update(state="delivered")
    making.finished(seats)
    assert len(told(ann)) == 3


def test_the_list_of_events_in_the_api_knows_the_kind(client):
    ann = making.author()
    webhooks.set_webhook(ann, "http://127.0.0.1:9/")
    making.finished([making.sandboxed(owner=ann), making.house("greedy"), making.house("counter")])
    api = APIClient()
    api.force_authenticate(ann)
    assert [event["kind"] for event in api.get("/api/v1/me/webhook/").json()["events"]] == ["match.finished"]
    schema = client.get("/api/v1/schema/").content.decode()
    assert "match.finished" in schema
