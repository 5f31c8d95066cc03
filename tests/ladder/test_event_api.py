"""REST of events: organisers run them, authors agree, people register and sit down, everybody reads."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from ladder.events import registration
from ladder.events.models import Event
from tests.games import making
from tests.ladder.test_event_pages import browser
from tests.ladder.test_events import event, play_all

pytestmark = pytest.mark.django_db
JSON = {"content_type": "application/json"}


def test_an_event_goes_from_a_draft_to_its_results_by_the_api_alone():
    organiser, player = making.author(is_organiser=True), making.author()
    making.house("greedy"), making.house("counter")
    own, theirs = browser(organiser), browser(player)
    start = timezone.now() + timedelta(hours=1)
    wish = {
        "slug": "autumn",
        "name": "Autumn",
        "format": "open",
        "rules": "cz-3-short",
        "blocks": 1,
        "deals": 2,
        "starts_at": start.isoformat(),
        "ends_at": (start + timedelta(days=1)).isoformat(),
    }
    assert theirs.post("/api/v1/events/", wish, **JSON).status_code == 403
    headers = {"Idempotency-Key": "one"}
    made = own.post("/api/v1/events/", wish, headers=headers, **JSON)
    assert made.status_code == 201, made.content
    assert own.post("/api/v1/events/", wish, headers=headers, **JSON).json() == made.json()
    assert Client().get("/api/v1/events/autumn/").status_code == 404
    for bot, role in (("greedy", "challenger"), ("counter", "opponent")):
        asked = own.post("/api/v1/events/autumn/bots/", {"bot": bot, "role": role}, **JSON)
        assert (asked.status_code, bool(asked.json()["agreed_at"])) == (201, True)
    assert own.post("/api/v1/events/autumn/step/", {"step": "open"}, **JSON).json()["phase"] == "registration"
    assert theirs.post("/api/v1/events/autumn/step/", {"step": "open"}, **JSON).status_code == 404

    entry = {"alias": "Zofia", "rules": True, "consent": False}
    refused = theirs.post("/api/v1/events/autumn/entry/", entry, **JSON)
    assert (refused.status_code, refused.json()["code"]) == (422, "not_confirmed")
    assert refused["Content-Type"] == "application/problem+json"
    joined = theirs.post("/api/v1/events/autumn/entry/", entry | {"consent": True}, **JSON)
    assert joined.json()["alias"] == "Zofia"
    own.post("/api/v1/events/autumn/step/", {"step": "check-in"}, **JSON)
    there = theirs.post("/api/v1/events/autumn/check-in/", {"device": {"stream": "yes"}}, **JSON)
    assert there.json()["checked_in_at"]
    own.post("/api/v1/events/autumn/step/", {"step": "start"}, **JSON)
    table = theirs.post("/api/v1/events/autumn/play/", {}, **JSON).json()
    assert theirs.post("/api/v1/events/autumn/play/", {}, **JSON).json() == table
    assert theirs.get("/api/v1/events/autumn/entry/").json()["match"] == table["match"]
    before = Client().get("/api/v1/events/autumn/").json()
    assert (before["result"], before["secret"], before["people"]) == (
        None,
        None,
        [{"alias": "Zofia", "state": "playing"}],
    )
    play_all(Event.objects.get())
    after = Client().get("/api/v1/events/autumn/").json()
    assert after["result"]["lines"][0]["difference"]["verdict"] == "draw"


def test_an_author_finds_the_invitation_and_answers_it():
    where, version = event(bots=()), making.sandboxed()
    registration.ask_bot(where, version.bot, "challenger")
    client = browser(version.bot.owner)
    (asked,) = client.get("/api/v1/events/invitations/").json()
    address = f"/api/v1/events/invitations/{asked['id']}/"
    assert browser(making.author()).post(address, {"agrees": True}, **JSON).status_code == 404
    assert client.post(address, {"agrees": True}, **JSON).json()["agreed_at"]
    assert client.get("/api/v1/events/invitations/").json() == []


def test_a_deal_is_declared_void_by_the_organiser_alone():
    where = event()
    wish = {"block": 1, "deal": 1, "reason": "seen"}
    address = f"/api/v1/events/{where.slug}/void-deals/"
    assert browser(making.author()).post(address, wish, **JSON).status_code == 404
    assert browser(where.organiser).post(address, wish, **JSON).status_code == 404, "no such block yet"
