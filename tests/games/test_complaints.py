"""Complaints about bots' names and public notes: from the page of a bot to what an operator hides."""

import pytest
from django.core.cache import cache
from django.test import Client

from botapi import bots, complaints
from botapi.errors import DomainError
from botapi.models import Bot, Complaint
from games.models import Seat
from tests.games import making

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_throttles():
    cache.clear()


@pytest.fixture
def rude():
    version = making.sandboxed(name="rude-bot")
    Bot.objects.filter(pk=version.bot_id).update(notes="call 555 now")
    return version


@pytest.fixture
def browser():
    made = Client()
    made.force_login(making.author())
    return made


@pytest.fixture
def operator():
    made = Client()
    made.force_login(making.author(is_staff=True, is_superuser=True))
    return made


def settle(operator, action):
    chosen = {"action": action, "_selected_action": list(Complaint.objects.values_list("pk", flat=True))}
    return operator.post("/admin/botapi/complaint/", chosen, follow=True).content.decode()


def test_notes_that_were_reported_are_hidden_by_an_operator(browser, operator, rude):
    assert "/bots/rude-bot/report/" in browser.get("/bots/rude-bot/").content.decode()
    sent = browser.post(
        "/bots/rude-bot/report/", {"about": "notes", "reason": "an advertisement"}, follow=True
    )
    assert "an operator looks at it" in sent.content.decode()
    browser.post("/bots/rude-bot/report/", {"about": "notes", "reason": "again"})
    assert Complaint.objects.count() == 1
    assert "an advertisement" in operator.get("/admin/botapi/complaint/").content.decode()
    assert "hidden" in settle(operator, "hide")
    assert "call 555" not in browser.get("/bots/rude-bot/").content.decode()
    assert browser.get("/api/v1/bots/rude-bot/").json()["notes"] == ""
    assert Complaint.objects.get().state == "upheld"


def test_a_hidden_name_is_nobodys_any_more_and_past_tables_show_another(browser, operator, rude):
    match = making.finished([rude, making.house(), making.house("counter")])
    browser.post("/bots/rude-bot/report/", {"about": "name", "reason": "it insults"})
    settle(operator, "hide")
    name = f"hidden-{rude.bot_id}"
    assert Seat.objects.get(match=match, index=0).name == name
    assert browser.get(f"/bots/{name}/").status_code == 200
    assert browser.get("/bots/rude-bot/").status_code == 404
    for wish in ("rude-bot", "hidden-9"):
        with pytest.raises(DomainError, match="is taken"):
            bots.create_bot(making.author(), name=wish, kind="sandbox")


def test_what_is_left_as_it_is_stays(browser, operator, rude):
    browser.post("/bots/rude-bot/report/", {"about": "notes", "reason": "I lost"})
    settle(operator, "leave_it")
    assert "call 555" in browser.get("/bots/rude-bot/").content.decode()
    assert "settled already" in settle(operator, "hide")


def test_nobody_unknown_reports_and_nobody_without_end(rude):
    assert Client().get("/bots/rude-bot/report/")["location"].startswith("/login/")
    busy = making.author()
    for _ in range(complaints.A_DAY):
        complaints.complain(busy, making.sandboxed().bot, about="name", reason="no")
    with pytest.raises(DomainError, match="the limit"):
        complaints.complain(busy, rude.bot, about="name", reason="no")
