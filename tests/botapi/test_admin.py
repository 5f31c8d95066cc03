"""What operators see and do in the admin site."""

import pytest
from django.test import Client

from botapi import bots, submissions, tokens
from botapi.models import TokenScope, User
from botapi.submissions import Upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator():
    made = Client()
    made.force_login(User.objects.create_superuser("root", "root@example.org", None))
    return made


@pytest.fixture
def bot():
    return bots.create_bot(
        User.objects.create(username="ann", email="a@example.org"), name="my-bot", kind="sandbox"
    )


def act(operator, bot, action, reason=""):
    body = {"action": action, "reason": reason, "_selected_action": [bot.pk]}
    page = operator.post("/admin/botapi/bot/", body, follow=True).content.decode()
    bot.refresh_from_db()
    return page


def test_every_list_and_form_opens(operator, bot):
    version, _ = submissions.submit_version(bot, upload=Upload("b.py", b"pass\n"))
    scope, _ = tokens.create_token(bot.owner, name="ci", scopes=["read"])
    for path in (
        "user/?q=ann",
        f"user/{bot.owner.pk}/change/",
        "bot/?q=my&state=active",
        f"bot/{bot.pk}/change/",
        "version/?q=my",
        f"version/{version.pk}/change/",
        "tokenscope/?q=ann",
        f"tokenscope/{scope.pk}/change/",
    ):
        assert operator.get(f"/admin/botapi/{path}").status_code == 200, path


def test_an_operator_pauses_resumes_and_suspends_with_a_reason(operator, bot):
    act(operator, bot, "pause")
    assert (bot.state, bot.state_reason) == ("paused", "by an operator")
    act(operator, bot, "resume")
    assert bot.state == "active"
    assert "Give a reason" in act(operator, bot, "suspend")
    assert bot.state == "active"
    act(operator, bot, "suspend", "Copies another bot.")
    assert (bot.state, bot.suspended_for, bot.state_reason) == (
        "suspended",
        "operator",
        "Copies another bot.",
    )
    assert "An operator suspended this bot" in act(operator, bot, "resume")
    act(operator, bot, "lift")
    assert (bot.state, bot.suspended_for) == ("active", "")


def test_a_version_is_only_looked_at(operator, bot):
    version, _ = submissions.submit_version(bot, upload=Upload("b.py", b"pass\n"))
    assert (
        operator.post(f"/admin/botapi/version/{version.pk}/change/", {"state": "passed"}).status_code == 403
    )
    assert operator.post(f"/admin/botapi/version/{version.pk}/delete/", {"post": "yes"}).status_code == 403
    assert operator.get("/admin/botapi/bot/add/").status_code == 403


def test_deleting_a_token_revokes_it(operator, bot):
    scope, text = tokens.create_token(bot.owner, name="ci", scopes=["read"])
    operator.post(f"/admin/botapi/tokenscope/{scope.pk}/delete/", {"post": "yes"})
    assert not TokenScope.objects.exists()
    assert Client().get("/api/v1/me/", headers={"authorization": f"Token {text}"}).status_code == 401
