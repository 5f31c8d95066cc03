"""An author's pages: from a new bot to the report of its check."""

import io
import re

import pytest
from django.core.cache import cache
from django.test import Client

from botapi import bots, submissions
from botapi.models import Bot, User, Version
from botapi.submissions import Upload

pytestmark = pytest.mark.django_db

TURNS = [
    {
        "request": {"type": "hello", "id": "1/1/0/0"},
        "answer": '{"ready":true}',
        "ms": 2.0,
        "verdict": "ready",
    },
    {
        "request": {"type": "act", "id": "1/1/0/1"},
        "answer": "<script>x</script>",
        "ms": 3.5,
        "verdict": "bad_reply",
    },
]
FAILED = {
    "verdict": "failed",
    "code": "bad_reply",
    "message": "We sent an act and got no JSON.",
    "steps": [{"name": "unpack", "ms": 1.5, "ok": True, "detail": ""}],
    "turns": TURNS,
    "stderr": "Traceback: <b>boom</b>",
}


@pytest.fixture(autouse=True)
def _fresh_throttles():
    cache.clear()


@pytest.fixture
def ann():
    return User.objects.create(username="ann", email="ann@example.org")


@pytest.fixture
def browser(ann):
    made = Client()
    made.force_login(ann)
    return made


def file(data=b"print()\n", name="bot.py"):
    made = io.BytesIO(data)
    made.name = name
    return made


def text(response):
    return response.content.decode()


def test_an_author_makes_a_bot_submits_it_and_reads_why_it_failed(browser):
    assert "You have no bots yet" in text(browser.get("/me/bots/"))
    made = browser.post("/me/bots/new/", {"name": "my-bot", "kind": "sandbox"})
    assert made["location"] == "/me/bots/my-bot/submit/"
    assert "main.py at its top" in text(browser.get(made["location"]))
    sent = browser.post("/me/bots/my-bot/submit/", {"file": file(), "label": "first try"})
    assert sent["location"] == "/me/bots/my-bot/versions/1/"
    waiting = text(browser.get("/me/bots/my-bot/versions/1/"))
    assert 'http-equiv="refresh"' in waiting
    assert "It waits for its check" in waiting
    submissions.record_check(Version.objects.get(), FAILED)
    page = text(browser.get("/me/bots/my-bot/versions/1/"))
    for words in ("bad_reply", "We sent an act and got no JSON.", "unpack", "first try", "1/1/0/1"):
        assert words in page
    assert "Traceback: &lt;b&gt;boom&lt;/b&gt;" in page
    assert "<script>x" not in page
    assert 'http-equiv="refresh"' not in page
    bot = text(browser.get("/me/bots/my-bot/"))
    assert "Version 1 failed its check; its report says why." in bot
    assert "Check again" in bot


def test_the_same_file_again_leads_to_the_same_version(browser, ann):
    bots.create_bot(ann, name="my-bot", kind="sandbox")
    browser.post("/me/bots/my-bot/submit/", {"file": file()})
    again = browser.post("/me/bots/my-bot/submit/", {"file": file(name="b.py")}, follow=True)
    assert "This content is version 1 already." in text(again)


def test_an_http_bot_shows_its_secret_once(browser):
    page = text(browser.post("/me/bots/new/", {"name": "far-bot", "kind": "http"}))
    bot = Bot.objects.get()
    (secret,) = bots.endpoint_secrets(bot)
    assert secret in page
    assert secret not in text(browser.get("/me/bots/far-bot/"))
    sent = browser.post("/me/bots/far-bot/submit/", {"url": "http://127.0.0.1:9000/"})
    assert sent["location"] == "/me/bots/far-bot/versions/1/"
    rotated = text(browser.post("/me/bots/far-bot/secret/"))
    assert bots.endpoint_secrets(bot)[0] in rotated
    assert bots.endpoint_secrets(bot)[1] == secret


@pytest.mark.parametrize(
    ("data", "name", "status", "words"),
    [
        (b"PK\3\4 broken", "bot.zip", 400, "zip"),
        (b"MZ", "bot.exe", 400, "a bot is one .py file or a .zip archive"),
        (b"PK\3\4" + b"0" * (6 << 20), "bot.zip", 413, "too large"),
    ],
)
def test_a_bad_upload_comes_back_with_the_reason(browser, ann, data, name, status, words):
    bots.create_bot(ann, name="my-bot", kind="sandbox")
    page = browser.post("/me/bots/my-bot/submit/", {"file": file(data, name)})
    assert page.status_code == status
    assert words in text(page)
    assert not Version.objects.exists()


def test_a_bad_or_taken_name_comes_back_with_the_reason(browser, ann):
    bots.create_bot(ann, name="my-bot", kind="sandbox")
    for name, words in (("my-bot", "is taken"), ("new", "is taken"), ("My Bot", "Use 3 to 40")):
        page = browser.post("/me/bots/new/", {"name": name, "kind": "sandbox"})
        assert page.status_code in (400, 409)
        assert words in text(page)


def test_pause_resume_and_withdraw(browser, ann):
    bots.create_bot(ann, name="my-bot", kind="sandbox")
    assert "my-bot is paused." in text(browser.post("/me/bots/my-bot/pause/", follow=True))
    assert "my-bot plays again." in text(browser.post("/me/bots/my-bot/resume/", follow=True))
    assert "Type my-bot" in text(browser.post("/me/bots/my-bot/withdraw/", {"confirm": "x"}, follow=True))
    done = text(browser.post("/me/bots/my-bot/withdraw/", {"confirm": "my-bot"}, follow=True))
    assert "my-bot is withdrawn." in done
    assert "Submit a version" not in done


def test_an_author_edits_the_notes_and_closes_a_bot_to_the_tests_of_others(browser, ann):
    bots.create_bot(ann, name="my-bot", kind="sandbox", notes="It plays.")
    page = text(browser.get("/me/bots/my-bot/"))
    assert "It plays." in page
    assert re.search(r'name="allow_tests"[^>]* checked', page)
    page = text(browser.post("/me/bots/my-bot/describe/", {"notes": "It wins."}, follow=True))
    assert "What you say of my-bot is changed." in page
    assert not re.search(r'name="allow_tests"[^>]* checked', page)
    assert "It wins." in text(browser.get("/bots/my-bot/"))
    assert "2000" in text(browser.post("/me/bots/my-bot/describe/", {"notes": "x" * 2001}, follow=True))
    assert bots.Bot.objects.get().notes == "It wins."
    assert browser.post("/me/bots/other/describe/", {"notes": "x"}).status_code == 404


def test_a_suspended_bot_says_why_and_what_to_do(browser, ann):
    bot = bots.create_bot(ann, name="my-bot", kind="sandbox")
    bots.note_forfeits(bot, [True] * 3, explanation="Match 9: timeout.")
    page = text(browser.get("/me/bots/my-bot/"))
    assert "3 matches in a row were handed to a house bot. Match 9: timeout." in page
    assert "as soon as one of its versions passes a check" in page


def test_an_older_version_is_made_to_play_again(browser, ann):
    bot = bots.create_bot(ann, name="my-bot", kind="sandbox")
    for number in range(2):
        version, _ = submissions.submit_version(bot, upload=Upload("b.py", f"a = {number}\n".encode()))
        submissions.record_check(version, FAILED | {"verdict": "passed", "code": ""})
    assert "Version 1 plays from now on." in text(
        browser.post("/me/bots/my-bot/versions/1/activate/", follow=True)
    )
    bot.refresh_from_db()
    assert bot.active_version.number == 1
    download = browser.get("/me/bots/my-bot/versions/1/source/")
    assert download["content-disposition"] == 'attachment; filename="my-bot-1.zip"'


def test_pages_of_another_author_are_not_there(browser):
    owner = User.objects.create(username="bob", email="bob@example.org")
    bot = bots.create_bot(owner, name="their-bot", kind="sandbox")
    submissions.submit_version(bot, upload=Upload("b.py", b"pass\n"))
    for path in ("", "submit/", "versions/1/", "versions/1/source/"):
        assert browser.get(f"/me/bots/their-bot/{path}").status_code == 404
        assert Client().get(f"/me/bots/their-bot/{path}").status_code == 302
    for path in ("pause/", "resume/", "withdraw/", "secret/", "versions/1/check/", "versions/1/activate/"):
        assert browser.post(f"/me/bots/their-bot/{path}", {"confirm": "their-bot"}).status_code == 404
        assert browser.get(f"/me/bots/their-bot/{path}").status_code == 405
    bot.refresh_from_db()
    assert bot.state == "active"


def test_the_list_of_bots_takes_a_fixed_number_of_queries(browser, ann, django_assert_max_num_queries):
    for number in range(8):
        bot = bots.create_bot(ann, name=f"bot-{number}", kind="sandbox")
        version, _ = submissions.submit_version(bot, upload=Upload("b.py", f"a = {number}\n".encode()))
        submissions.record_check(version, FAILED | {"verdict": "passed", "code": ""})
    with django_assert_max_num_queries(8):
        assert "bot-7" in text(browser.get("/me/bots/"))


def test_a_check_that_the_service_could_not_finish_says_so_and_is_asked_for_again(browser, ann):
    bot = bots.create_bot(ann, name="my-bot", kind="sandbox")
    version, _ = submissions.submit_version(bot, upload=Upload("b.py", b"a = 1\n"))
    submissions.begin_check(version)
    submissions.give_back(version)
    page = text(browser.get("/me/bots/my-bot/versions/1/"))
    assert "could not finish the check" in page
    assert 'http-equiv="refresh"' not in page
    assert "check not finished" in text(browser.get("/me/bots/my-bot/"))
    again = browser.post("/me/bots/my-bot/versions/1/check/", follow=True)
    assert "at most once in 2 minutes" in text(again)
    Version.objects.update(checked_at=None)
    again = browser.post("/me/bots/my-bot/versions/1/check/", follow=True)
    assert "is being checked again" in text(again)
    assert "It waits for its check" in text(again)


def test_a_request_is_shown_a_line_a_key(browser, ann):
    bot = bots.create_bot(ann, name="my-bot", kind="sandbox")
    version, _ = submissions.submit_version(bot, upload=Upload("b.py", b"a = 1\n"))
    request = {"type": "act", "legal": ["bid:110", "pass"], "view": {"hand": ["AS", "KD"]}}
    turn = {"request": request, "answer": "", "ms": 1.0, "verdict": "timeout"}
    submissions.record_check(version, FAILED | {"turns": [turn]})
    page = text(browser.get("/me/bots/my-bot/versions/1/"))
    assert "&quot;legal&quot;: [&quot;bid:110&quot;, &quot;pass&quot;]\n}" in page


def test_a_paused_bot_says_so_before_anything_else(browser, ann):
    bot = bots.create_bot(ann, name="my-bot", kind="sandbox")
    bots.pause_bot(bot)
    assert "There is no rated match now. It is paused (by its author)." in text(
        browser.get("/me/bots/my-bot/")
    )
