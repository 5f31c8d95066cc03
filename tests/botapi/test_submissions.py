"""Versions: submitted, checked, promoted, limited."""

import io
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
import redis
from django.core import mail
from django.db import connection, transaction
from django.utils import timezone

from botapi import bots, submissions
from botapi.errors import DomainError, PlatformError
from botapi.limits import LIMITS
from botapi.models import Artifact, Bot, User, Version
from botapi.submissions import Upload
from tests.botapi.endpoints import NOT_PUBLIC

pytestmark = pytest.mark.django_db

STARTER = b"print('hello')\n"


def author(name="ann"):
    return User.objects.create(username=name, email=f"{name}@example.org")


def sandbox_bot(owner=None, name="first-bot"):
    return bots.create_bot(owner or author(), name=name, kind="sandbox")


def submit(bot, text=STARTER, **more):
    return submissions.submit_version(bot, upload=Upload("bot.py", text), **more)


def passed(**more):
    return {"verdict": "passed", "code": "", "message": "", "steps": [], "turns": [], "stderr": "", **more}


def failed(**more):
    return passed(verdict="failed", code="crash", message="it ended", **more)


def test_a_file_and_an_archive_of_the_same_content_are_the_same_version():
    bot = sandbox_bot()
    first, new = submit(bot)
    assert (new, first.number, first.state) == (True, 1, "pending")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("main.py", STARTER)
    again, new = submissions.submit_version(bot, upload=Upload("x.zip", packed.getvalue()))
    assert (again.pk, new) == (first.pk, False)
    assert Artifact.objects.count() == 1


def test_two_authors_may_submit_the_same_content_and_it_is_stored_once():
    submit(sandbox_bot())
    submit(sandbox_bot(author("bob"), "second-bot"))
    assert (Version.objects.count(), Artifact.objects.count()) == (2, 1)


def test_a_bad_archive_is_refused_and_nothing_is_stored():
    bot = sandbox_bot()
    with pytest.raises(DomainError) as refusal:
        submissions.submit_version(bot, upload=Upload("bot.zip", b"not a zip"))
    assert refusal.value.code == "bad_archive"
    assert not Version.objects.exists()
    assert not Artifact.objects.exists()


def test_a_sandboxed_bot_takes_files_and_an_http_bot_takes_addresses():
    with pytest.raises(DomainError, match="is a sandboxed bot"):
        submissions.submit_version(sandbox_bot(), url="http://127.0.0.1:9/")
    http = bots.create_bot(author("bob"), name="http-bot", kind="http")
    with pytest.raises(DomainError, match="send the url"):
        submit(http)
    version, _ = submissions.submit_version(http, url="HTTP://LOCALHOST:80")
    assert (version.url, version.artifact) == ("http://localhost/", None)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://example.org/", "must begin with http"),
        ("http://", "names no host"),
        ("https://user:secret@example.org/", "user name or password"),
        ("https://example.org/#part", "fragment"),
        ("https://example.org:99999/", "malformed"),
        ("https://exa mple.org/", "percent-encoded"),
        ("https://exämple.org/", "percent-encoded"),
        ("https://example.org/" + "a" * 500, "longer than"),
        ("http://[::1/", "malformed"),
    ],
)
def test_an_address_that_will_not_do_is_refused_in_words(url, words):
    bot = bots.create_bot(author(), name="http-bot", kind="http")
    with pytest.raises(DomainError, match=words) as refusal:
        submissions.submit_version(bot, url=url)
    assert refusal.value.code == "bad_url"


@pytest.mark.parametrize("host", NOT_PUBLIC)
def test_private_addresses_are_refused_unless_development_opens_them(host, settings):
    bot = bots.create_bot(author(), name="http-bot", kind="http")
    settings.BOT_ENDPOINTS_ALLOW_PRIVATE = False
    with pytest.raises(DomainError, match="public internet") as refusal:
        submissions.submit_version(bot, url=f"http://{host}:8080/")
    assert refusal.value.message.endswith(
        f", and {host.strip('[]')} is not."
    )  # not what it means in our network
    settings.BOT_ENDPOINTS_ALLOW_PRIVATE = True
    assert submissions.submit_version(bot, url=f"http://{host}:8080/")[1]


def test_a_version_that_passed_becomes_active_and_a_refused_one_leaves_it_alone():
    bot = sandbox_bot()
    first, _ = submit(bot)
    submissions.record_check(first, passed())
    second, _ = submit(bot, b"x = 2\n")
    submissions.record_check(second, failed(stderr="boom\0\ud800"))
    bot.refresh_from_db()
    second.refresh_from_db()
    assert (bot.active_version, second.state, second.check_code) == (first, "refused", "crash")
    assert second.check_report["stderr"].startswith("boom\N{REPLACEMENT CHARACTER}")
    third, _ = submit(bot, b"x = 3\n")
    submissions.record_check(third, passed(verdict="slow"))
    bot.refresh_from_db()
    assert bot.active_version == third


def test_an_older_version_whose_check_ends_late_does_not_replace_a_newer_one():
    bot = sandbox_bot()
    first, _ = submit(bot)
    second, _ = submit(bot, b"x = 2\n")
    submissions.record_check(second, passed())
    submissions.record_check(first, passed())
    bot.refresh_from_db()
    assert bot.active_version == second
    bots.activate_version(first)
    bot.refresh_from_db()
    assert bot.active_version == first


def test_a_check_is_recorded_once():
    version, _ = submit(sandbox_bot())
    assert submissions.begin_check(version)
    assert not submissions.begin_check(version)
    submissions.give_back(version)
    assert submissions.begin_check(version)
    submissions.record_check(version, passed())
    with pytest.raises(DomainError, match="cannot become"):
        submissions.record_check(version, failed())
    with pytest.raises(PlatformError):
        submissions.record_check(submit(version.bot, b"x = 2\n")[0], {"verdict": "perhaps"})


def test_a_refused_version_is_checked_again_when_its_author_asks_but_not_at_once():
    version, _ = submit(sandbox_bot())
    submissions.record_check(version, failed())
    with pytest.raises(DomainError) as refusal:
        submissions.check_again(version)
    assert (refusal.value.code, refusal.value.status) == ("too_soon", 429)
    Version.objects.update(checked_at=timezone.now() - timedelta(minutes=3))
    assert submissions.check_again(version).state == "pending"
    submissions.record_check(version, passed())
    with pytest.raises(DomainError, match="has passed"):
        submissions.check_again(version)


def test_three_forfeits_in_a_row_suspend_a_bot_and_a_passing_check_brings_it_back():
    bot = sandbox_bot()
    version, _ = submit(bot)
    submissions.record_check(version, passed())
    assert not bots.note_forfeits(bot, [True, True])
    assert not bots.note_forfeits(bot, [False, True, True, True, False])
    assert bots.note_forfeits(bot, [True, True, True, False], explanation="Match 7: timeout.")
    assert not bots.note_forfeits(bot, [True, True, True])
    bot.refresh_from_db()
    assert bot.state == "suspended"
    assert bot.state_reason == "3 matches in a row were handed to a house bot. Match 7: timeout."
    with pytest.raises(DomainError, match="until one of its versions passes"):
        bots.resume_bot(bot)
    Version.objects.update(checked_at=timezone.now() - timedelta(minutes=3))
    submissions.check_again(version)
    submissions.record_check(version, passed())
    bot.refresh_from_db()
    assert (bot.state, bot.state_reason, bot.suspended_for) == ("active", "", "")
    assert bot.forfeits_from is not None


def test_the_author_of_a_suspended_bot_gets_a_mail_with_the_reason(django_capture_on_commit_callbacks):
    bot = sandbox_bot()
    with django_capture_on_commit_callbacks(execute=True):
        bots.note_forfeits(bot, [True, True, True], explanation="Match 7: timeout.")
    (message,) = mail.outbox
    assert message.to == ["ann@example.org"]
    assert "Match 7: timeout." in message.body
    assert "/me/bots/first-bot/" in message.body


def test_five_forfeits_of_the_last_twenty_suspend_a_bot():
    bot = sandbox_bot()
    pattern = [True, False, False, False] * 5
    assert not bots.note_forfeits(bot, [*pattern[4:], False, False, False, False, True])
    assert bots.note_forfeits(bot, pattern)


def test_a_suspension_by_an_operator_survives_a_passing_check():
    bot = sandbox_bot()
    version, _ = submit(bot)
    bots.suspend_bot(bot, cause=Bot.Suspension.OPERATOR, reason="Copies another bot.")
    submissions.record_check(version, passed())
    bot.refresh_from_db()
    assert bot.state == "suspended"
    with pytest.raises(DomainError, match="An operator suspended"):
        bots.resume_bot(bot)


def test_a_bot_is_paused_resumed_and_withdrawn_for_good():
    bot = sandbox_bot()
    assert bots.pause_bot(bot).state == "paused"
    assert bots.resume_bot(bot).state == "active"
    assert bots.withdraw_bot(bot).state == "withdrawn"
    for verb in (bots.pause_bot, bots.resume_bot):
        with pytest.raises(DomainError, match="withdrawn"):
            verb(bot)
    with pytest.raises(DomainError, match="withdrawn"):
        submit(bot)


def test_an_author_meets_the_limits_of_bots_versions_and_storage():
    owner = author()
    few = replace(LIMITS, bots=1, versions_a_day=1, storage=1000)
    bot = bots.create_bot(owner, name="one", kind="sandbox", limits=few)
    with pytest.raises(DomainError) as refusal:
        bots.create_bot(owner, name="two", kind="sandbox", limits=few)
    assert refusal.value.code == "too_many_bots"
    submit(bot, limits=few)
    assert submit(bot, limits=few)[1] is False
    with pytest.raises(DomainError) as refusal:
        submit(bot, b"x = 2\n", limits=few)
    assert (refusal.value.code, refusal.value.status) == ("too_many_versions", 429)
    with pytest.raises(DomainError) as refusal:
        submit(bot, b"x = 3\n", limits=replace(LIMITS, storage=10))
    assert refusal.value.code == "storage_full"
    assert submissions.usage(owner).bots == 1


@pytest.mark.django_db(transaction=True)
def test_limits_hold_when_many_requests_come_at_once():
    bot = sandbox_bot()
    few = replace(LIMITS, versions_a_day=2)

    def one(number):
        try:
            return submit(bot, f"x = {number}\n".encode(), limits=few)[1]
        except DomainError as refusal:
            return refusal.code
        finally:
            connection.close()

    with ThreadPoolExecutor(5) as pool:
        outcomes = list(pool.map(one, range(5)))
    assert sorted(map(str, outcomes)) == [
        "True",
        "True",
        "too_many_versions",
        "too_many_versions",
        "too_many_versions",
    ]
    assert sorted(bot.versions.values_list("number", flat=True)) == [1, 2]


@pytest.mark.django_db(transaction=True)
def test_a_submission_wakes_the_queue_of_checks_after_its_commit(settings):
    broker = redis.Redis.from_url(settings.REDIS_URL)
    broker.delete("default")
    bot = sandbox_bot()
    with transaction.atomic():
        submit(bot)
        assert broker.llen("default") == 0
    assert b"games.queue_checks" in broker.lindex("default", 0)
    broker.delete("default")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("broker_away")
def test_a_submission_is_stored_though_the_broker_is_away():
    began = timezone.now()
    version, _ = submit(sandbox_bot())
    assert Version.objects.filter(pk=version.pk, state="pending").exists()
    assert timezone.now() - began < timedelta(seconds=5)


def test_two_secrets_are_valid_after_a_rotation_and_are_kept_encrypted():
    bot = bots.create_bot(author(), name="http-bot", kind="http")
    made = [bots.rotate_secret(bot) for _ in range(3)]
    assert bots.endpoint_secrets(bot) == [made[2], made[1]]
    assert all(secret.startswith("whsec_") for secret in made)
    assert not any(made[2].encode() in bytes(row.ciphertext) for row in bot.secrets.all())
    bot.secrets.exclude(expires_at=None).update(expires_at=timezone.now())
    assert bots.endpoint_secrets(bot) == [made[2]]


@pytest.mark.parametrize("name", ["ab", "-abc", "Abc", "a_b", "x" * 41, "abc\n", "śmiały", ""])
def test_a_bad_name_is_refused(name):
    with pytest.raises(DomainError):
        bots.create_bot(author(), name=name, kind="sandbox")
    assert not Bot.objects.exists()


def test_an_endpoint_stays_unsigned_until_a_check_establishes_the_contrary():
    bot = bots.create_bot(author(), name="http-bot", kind="http")
    marks = []
    for number, unsigned in enumerate([None, True, None, False]):
        version, _ = submissions.submit_version(bot, url=f"http://127.0.0.1:{8000 + number}/")
        submissions.begin_check(version)
        submissions.record_check(version, passed(unsigned=unsigned))
        bot.refresh_from_db()
        marks.append(bot.unsigned)
    assert marks == [False, True, True, False]


def test_a_request_does_not_wait_for_name_servers_without_end(settings, monkeypatch):
    """A function that waits stands for the name servers."""
    answered = threading.Event()
    monkeypatch.setattr("botapi.endpoints.getaddrinfo", lambda *_, **__: answered.wait(60))
    monkeypatch.setattr("botapi.endpoints.LOOK_UP_S", 0.05)
    settings.BOT_ENDPOINTS_ALLOW_PRIVATE = False
    bot = bots.create_bot(author(), name="http-bot", kind="http")
    with pytest.raises(DomainError, match=r"tarpit\.example was not found within"):
        submissions.submit_version(bot, url="https://tarpit.example/")
    assert not answered.is_set()
    answered.set()
