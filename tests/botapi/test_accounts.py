"""Accounts: sign up, prove the address, log in and out, a new password."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from botapi import accounts, tokens
from botapi.errors import DomainError
from botapi.models import User

pytestmark = pytest.mark.django_db

WISH = {"username": "ann", "email": "Ann@Example.org", "password": "a long pass phrase"}


@pytest.fixture(autouse=True)
def _fresh_throttles():
    cache.clear()


@pytest.fixture(autouse=True)
def _quick_passwords(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def link(message):
    return re.search(r"https?://[^/]+(/\S+)", message.body)[1]


@pytest.mark.django_db(transaction=True)
def test_who_signs_up_is_logged_in_and_proves_the_address_by_the_link():
    browser = Client()
    assert browser.post("/signup/", WISH)["location"] == "/me/"
    user = User.objects.get()
    assert (user.email, user.email_verified_at) == ("ann@example.org", None)
    assert "not verified yet" in browser.get("/me/bots/").content.decode()
    assert len(mail.outbox) == 1
    assert Client().get(link(mail.outbox[0]))["location"] == "/login/"
    user.refresh_from_db()
    assert user.email_verified_at is not None
    assert "not verified yet" not in browser.get("/me/bots/").content.decode()


def test_the_link_is_worth_nothing_when_forged_too_old_or_of_an_old_address():
    user = accounts.sign_up(**WISH)
    token = accounts.verification_token(user)
    assert Client().get(f"/verify/{token}x/").status_code == 400
    with (
        time_machine.travel(timezone.now() + timedelta(days=4), tick=False),
        pytest.raises(DomainError, match="too old"),
    ):
        accounts.verify_email(token)
    user.email = "other@example.org"
    user.save()
    with pytest.raises(DomainError, match="no longer has"):
        accounts.verify_email(token)
    user.refresh_from_db()
    assert user.email_verified_at is None


def test_the_link_is_sent_again_when_asked_for():
    user = accounts.sign_up(**WISH)
    browser = Client()
    browser.force_login(user)
    browser.post("/me/verify/")
    assert mail.outbox[-1].to == ["ann@example.org"]
    accounts.verify_email(accounts.verification_token(user))
    browser.post("/me/verify/")
    assert len(mail.outbox) == 1


def test_where_verification_is_off_an_address_counts_as_proved(settings):
    settings.EMAIL_VERIFICATION = False
    assert accounts.sign_up(**WISH).email_verified_at is not None


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"username": "ANN"}, "taken"),
        ({"email": "ann@EXAMPLE.org"}, "already exists"),
        ({"password": "short"}, "too short"),
        ({"password": "password1234"}, "too common"),
        ({"username": "a b"}, "valid username"),
        ({"email": "nonsense"}, "valid email"),
        ({"username": ""}, "required"),
    ],
)
def test_an_account_that_will_not_do_is_refused_beside_its_field(change, field):
    accounts.sign_up(**WISH)
    page = Client().post("/signup/", WISH | {"username": "bob", "email": "bob@example.org"} | change)
    assert page.status_code == 400
    assert field in page.content.decode()
    assert User.objects.count() == 1


def test_logging_in_and_out():
    accounts.sign_up(**WISH)
    browser = Client()
    assert browser.get("/me/bots/")["location"] == "/login/?next=/me/bots/"
    assert (
        browser.post("/login/?next=/me/tokens/", WISH | {"next": "/me/tokens/"})["location"] == "/me/tokens/"
    )
    assert browser.get("/me/bots/").status_code == 200
    assert browser.post("/logout/").status_code == 302
    assert browser.get("/me/bots/").status_code == 302
    assert Client().post("/login/?next=https://elsewhere.example/", WISH)["location"] == "/me/"


def test_who_signs_up_comes_back_to_the_page_that_asked_for_it_and_to_no_other_site():
    asked = Client().get("/login/?next=/events/cup/").content.decode()
    assert 'href="/signup/?next=/events/cup/"' in asked
    form = Client().get("/signup/?next=/events/cup/").content.decode()
    assert '<input type="hidden" name="next" value="/events/cup/">' in form
    assert Client().post("/signup/", WISH | {"next": "/events/cup/"})["location"] == "/events/cup/"
    bob = WISH | {"username": "bob", "email": "bob@example.org", "next": "https://elsewhere.example/"}
    assert Client().post("/signup/", bob)["location"] == "/me/"


def test_guessing_passwords_has_to_wait():
    accounts.sign_up(**WISH)
    for _ in range(20):
        assert Client().post("/login/", WISH | {"password": "wrong"}).status_code == 200
    page = Client().post("/login/", WISH)
    assert page.status_code == 429
    assert int(page["retry-after"]) > 0


def test_a_forgotten_password_is_replaced_by_a_link_that_works_once():
    accounts.sign_up(**WISH)
    browser = Client()
    assert browser.post("/password/", {"email": "ann@example.org"})["location"] == "/password/sent/"
    address = link(mail.outbox[-1])
    form = browser.get(address)["location"]
    new = {"new_password1": "another pass phrase", "new_password2": "another pass phrase"}
    assert browser.post(form, new)["location"] == "/login/"
    assert Client().login(username="ann", password="another pass phrase")
    assert "does not work any more" in Client().get(address, follow=True).content.decode()
    browser.post("/password/", {"email": "nobody@example.org"})
    assert len(mail.outbox) == 1


def test_a_token_is_shown_once_and_can_be_revoked():
    user = accounts.sign_up(**WISH)
    browser = Client()
    browser.force_login(user)
    page = browser.post("/me/tokens/", {"name": "laptop", "scopes": ["read", "bots:write"]}).content.decode()
    text = re.search(r"<pre[^>]*>(\w{64})</pre>", page)[1]
    assert Client().get("/api/v1/me/", headers={"authorization": f"Token {text}"}).status_code == 200
    later = browser.get("/me/tokens/").content.decode()
    assert "laptop" in later
    assert text not in later
    number = re.search(r"/me/tokens/(\d+)/revoke/", later)[1]
    stranger = Client()
    stranger.force_login(accounts.sign_up(username="bob", email="bob@example.org", password=WISH["password"]))
    assert stranger.post(f"/me/tokens/{number}/revoke/").status_code == 404
    browser.post(f"/me/tokens/{number}/revoke/")
    assert Client().get("/api/v1/me/", headers={"authorization": f"Token {text}"}).status_code == 401


@pytest.mark.parametrize(
    ("name", "scopes", "code"),
    [
        ("", ["read"], "bad_name"),
        ("x" * 61, ["read"], "bad_name"),
        ("x", [], "bad_scope"),
        ("x", ["all"], "bad_scope"),
    ],
)
def test_a_token_needs_a_name_and_known_scopes(name, scopes, code):
    with pytest.raises(DomainError) as refusal:
        tokens.create_token(accounts.sign_up(**WISH), name=name, scopes=scopes)
    assert refusal.value.code == code


def test_nobody_has_more_than_twenty_tokens():
    user = accounts.sign_up(**WISH)
    for number in range(20):
        tokens.create_token(user, name=f"t{number}", scopes=["read"])
    with pytest.raises(DomainError) as refusal:
        tokens.create_token(user, name="one more", scopes=["read"])
    assert (refusal.value.code, refusal.value.status) == ("too_many_tokens", 409)


@pytest.fixture
def ann():
    return accounts.sign_up(**WISH)


@pytest.fixture
def browser(ann):
    made = Client()
    made.force_login(ann)
    return made


@pytest.mark.django_db(transaction=True)
def test_another_address_counts_once_its_link_is_opened(ann, browser):
    accounts.verify_email(accounts.verification_token(ann))
    mail.outbox.clear()
    wish = {"email": "New@Example.org", "password": WISH["password"]}
    assert "not your password" in browser.post("/me/email/", wish | {"password": "wrong"}).content.decode()
    assert browser.post("/me/email/", wish)["location"] == "/me/"
    ann.refresh_from_db()
    assert ann.email == "ann@example.org"
    (message,) = mail.outbox
    assert message.to == ["new@example.org"]
    assert browser.get(link(message))["location"] == "/me/"
    ann.refresh_from_db()
    assert ann.email == "new@example.org"
    assert ann.email_verified_at is not None
    assert mail.outbox[-1].to == ["ann@example.org"]
    assert browser.get(link(message)).status_code == 400


@pytest.mark.django_db(transaction=True)
def test_of_an_address_that_another_account_has_nothing_is_told(ann, browser):
    accounts.sign_up(username="bob", email="bob@example.org", password=WISH["password"])
    mail.outbox.clear()
    answer = browser.post(
        "/me/email/", {"email": "bob@example.org", "password": WISH["password"]}, follow=True
    )
    assert "A link was sent to bob@example.org." in answer.content.decode()
    assert mail.outbox == []


def test_a_new_password_logs_other_devices_out_and_this_one_not(ann, browser):
    elsewhere = Client()
    elsewhere.force_login(ann)
    new = {"new_password1": "another pass phrase", "new_password2": "another pass phrase"}
    assert browser.post("/me/password/", new | {"old_password": "wrong"}).status_code == 200
    assert browser.post("/me/password/", new | {"old_password": WISH["password"]})["location"] == "/me/"
    assert browser.get("/me/").status_code == 200
    assert elsewhere.get("/me/").status_code == 302


def test_the_session_has_another_key_once_somebody_is_logged_in(ann):
    browser = Client()
    browser.post("/settings/", {"theme": "dark", "deck": "two", "motion": ""})
    before = browser.cookies["sessionid"].value
    browser.post("/login/", WISH)
    assert browser.cookies["sessionid"].value != before
    assert not Session.objects.filter(session_key=before).exists()
    assert browser.get("/logout/").status_code == 405


def test_settings_hold_on_every_device_of_an_account_and_in_the_session_of_a_guest(ann, browser):
    wish = {"language": "nl", "theme": "dark", "deck": "two", "motion": "reduced"}
    assert browser.post("/settings/", wish)["location"] == "/settings/"
    elsewhere = Client()
    elsewhere.force_login(ann)
    page = elsewhere.get("/ladder/").content.decode()
    assert '<html lang="nl" data-theme="dark" data-deck="two" data-motion="reduced">' in page
    guest = Client()
    assert '<html lang="en">' in guest.get("/ladder/").content.decode()
    guest.post("/settings/", {"theme": "light", "deck": "four", "motion": ""})
    assert '<html lang="en" data-theme="light">' in guest.get("/ladder/").content.decode()
    assert guest.post("/settings/", {"theme": "pink", "deck": "four"}).status_code == 400


def test_the_language_at_the_foot_of_a_page_is_kept_with_the_account(ann, browser):
    browser.post("/language/", {"language": "cs", "next": "/"})
    ann.refresh_from_db()
    assert ann.language == "cs"
    elsewhere = Client(headers={"accept-language": "ru"})
    elsewhere.force_login(ann)
    assert '<html lang="cs"' in elsewhere.get("/docs/").content.decode()
    browser.post("/language/", {"language": "xx", "next": "/"})
    ann.refresh_from_db()
    assert ann.language == "cs"
    browser.post("/settings/", {"language": "", "theme": "", "deck": "four", "motion": ""})
    assert '<html lang="nl"' in browser.get("/docs/", headers={"accept-language": "nl"}).content.decode()


def test_who_signs_up_keeps_language_and_settings():
    browser = Client(headers={"accept-language": "pl"})
    browser.post("/settings/", {"theme": "dark", "deck": "four", "motion": ""})
    browser.post("/signup/", WISH)
    user = User.objects.get()
    assert user.language == "pl"
    assert user.display["theme"] == "dark"


def test_the_account_page_shows_limits_and_leads_everywhere(browser):
    page = browser.get("/me/").content.decode()
    for address in re.findall(r'href="(/(?:me|settings)[^"]*)"', page):
        assert browser.get(address).status_code == 200, address
    assert "0 of 10" in page
    assert Client().get("/me/")["location"] == "/login/?next=/me/"


def test_nobody_takes_a_name_of_a_deleted_account():
    page = Client().post("/signup/", WISH | {"username": "Deleted-7"})
    assert page.status_code == 400
    assert "This name is taken." in page.content.decode()


def test_all_other_devices_are_logged_out_and_this_one_and_tokens_stay():
    user = User.objects.create(username="ann", email="ann@example.org")
    _, token = tokens.create_token(user, name="t", scopes=[tokens.READ])
    here, there = Client(), Client()
    for client in (here, there):
        client.force_login(user)
        assert client.get("/me/").status_code == 200
    assert here.get("/me/sessions/end/").status_code == 405
    answer = here.post("/me/sessions/end/", follow=True)
    assert "All other devices are logged out." in answer.content.decode()
    assert here.get("/me/").status_code == 200
    assert there.get("/me/").status_code == 302
    assert Client().get("/api/v1/me/", headers={"authorization": f"Token {token}"}).status_code == 200
    here.post("/me/sessions/end/")
    assert here.get("/me/").status_code == 200
    there.force_login(User.objects.get())
    assert there.get("/me/").status_code == 200
    assert Client().post("/me/sessions/end/").status_code == 302
