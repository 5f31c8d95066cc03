"""The API as a client sees it: one way of saying no, scopes, submissions, cursors, its own description."""

import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client

from botapi import bots, submissions, tokens
from botapi.models import Bot, IdempotencyKey, User, Version
from botapi.submissions import Upload

pytestmark = pytest.mark.django_db

PROBLEM = "application/problem+json"


@pytest.fixture(autouse=True)
def _fresh_throttles(settings):
    cache.clear()
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def person(name="ann", **more):
    return User.objects.create(username=name, email=f"{name}@example.org", **more)


class Api:
    """A client with a token."""

    def __init__(self, user, *scopes):
        _, text = tokens.create_token(user, name="test", scopes=scopes or ["bots:write"])
        self.headers = {"authorization": f"Token {text}"}
        self.client = Client(headers=self.headers)

    def get(self, path):
        return self.client.get(f"/api/v1{path}")

    def post(self, path, body=None, **headers):
        return self.client.post(f"/api/v1{path}", body or {}, "application/json", headers=headers)

    def upload(self, path, name, data, **headers):
        file = io.BytesIO(data)
        file.name = name
        return self.client.post(f"/api/v1{path}", {"file": file}, headers=headers)


def problem(response, status, code):
    assert response.status_code == status, response.content
    assert response["content-type"] == PROBLEM
    body = json.loads(response.content)
    assert (body["status"], body["code"], body["type"]) == (status, code, "about:blank")
    assert body["detail"]
    return body


def test_a_bot_is_made_its_version_submitted_and_its_report_read():
    api = Api(person())
    made = api.post("/bots/", {"name": "my-bot", "kind": "sandbox"})
    assert made.status_code == 201
    assert made.json()["secret"] is None
    assert made.json()["waiting_because"] == "No version was submitted yet."
    first = api.upload("/bots/my-bot/versions/", "bot.py", b"print()\n")
    assert (first.status_code, first.json()["number"], first.json()["state"]) == (201, 1, "pending")
    assert first["location"] == "/api/v1/bots/my-bot/versions/1/"
    again = api.upload("/bots/my-bot/versions/", "other.py", b"print()\n")
    assert (again.status_code, again.json()["number"]) == (200, 1)
    report = {
        "verdict": "failed",
        "code": "crash",
        "message": "m",
        "steps": [],
        "turns": [],
        "stderr": "boom",
    }
    submissions.record_check(Version.objects.get(), report)
    shown = api.get("/bots/my-bot/versions/1/").json()
    assert (shown["state"], shown["check_code"], shown["report"]["stderr"]) == ("refused", "crash", "boom")
    assert [one["number"] for one in api.get("/bots/my-bot/versions/").json()["results"]] == [1]
    files = zipfile.ZipFile(io.BytesIO(api.get("/bots/my-bot/versions/1/source/").content))
    assert files.read("main.py") == b"print()\n"


def test_an_http_bot_gets_its_secret_once_and_may_rotate_it():
    api = Api(person())
    made = api.post("/bots/", {"name": "far-bot", "kind": "http", "url": "http://127.0.0.1:9000"}).json()
    assert made["secret"].startswith("whsec_")
    assert Version.objects.get().url == "http://127.0.0.1:9000/"
    assert "secret" not in api.get("/bots/far-bot/").json()
    rotated = api.post("/bots/far-bot/secret/").json()
    assert rotated["secret"] != made["secret"]
    assert rotated["previous_valid_until"]
    same = api.post("/bots/far-bot/versions/", {"url": "http://127.0.0.1:9000/"})
    assert (same.status_code, same.json()["number"]) == (200, 1)
    new = api.post("/bots/far-bot/versions/", {"url": "http://127.0.0.1:9001/"})
    assert (new.status_code, new.json()["number"]) == (201, 2)


def test_a_bot_whose_endpoint_is_refused_is_not_made():
    api = Api(person())
    problem(api.post("/bots/", {"name": "far-bot", "kind": "http", "url": "ftp://x/"}), 400, "bad_url")
    problem(
        api.post("/bots/", {"name": "far-bot", "kind": "sandbox", "url": "http://x/"}), 400, "url_unexpected"
    )
    assert not Bot.objects.exists()


def test_the_same_idempotency_key_gives_the_same_answer_and_does_nothing_again():
    api = Api(person())
    api.post("/bots/", {"name": "my-bot", "kind": "sandbox"})
    first = api.upload("/bots/my-bot/versions/", "bot.py", b"a = 1\n", **{"idempotency-key": "k1"})
    again = api.upload("/bots/my-bot/versions/", "bot.py", b"a = 1\n", **{"idempotency-key": "k1"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert again["idempotency-replayed"] == "true"
    other = api.upload("/bots/my-bot/versions/", "bot.py", b"a = 2\n", **{"idempotency-key": "k1"})
    problem(other, 422, "idempotency_key_reused")
    long = api.upload("/bots/my-bot/versions/", "bot.py", b"a = 2\n", **{"idempotency-key": "k" * 101})
    problem(long, 400, "bad_idempotency_key")
    assert Version.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_same_key_in_two_requests_at_once_has_one_effect():
    api = Api(person())
    api.post("/bots/", {"name": "my-bot", "kind": "sandbox"})

    def send(_):
        try:
            return api.upload(
                "/bots/my-bot/versions/", "bot.py", b"a = 1\n", **{"idempotency-key": "k"}
            ).json()
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(send, range(3)))
    assert answers[0] == answers[1] == answers[2]
    assert (Version.objects.count(), IdempotencyKey.objects.count()) == (1, 1)


def test_while_redis_is_away_the_api_answers(settings):
    api = Api(person())
    down = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {"default": down}
    assert api.get("/me/").status_code == 200
    assert api.post("/bots/", {"name": "my-bot", "kind": "sandbox"}).status_code == 201


def test_pause_resume_and_withdraw():
    api = Api(person())
    api.post("/bots/", {"name": "my-bot", "kind": "sandbox"})
    assert api.post("/bots/my-bot/pause/").json()["state"] == "paused"
    assert api.post("/bots/my-bot/resume/").json()["state"] == "active"
    assert api.post("/bots/my-bot/withdraw/").json()["state"] == "withdrawn"
    problem(api.post("/bots/my-bot/resume/"), 409, "wrong_state")


def test_an_author_changes_the_notes_and_who_may_test_against_a_bot():
    ann, bert = person(), person("bert")
    bots.create_bot(ann, name="my-bot", kind="sandbox", notes="It plays.")
    api, path = Api(ann), "/api/v1/bots/my-bot/"

    def patch(client, body):
        return client.patch(path, body, "application/json")

    assert api.get("/bots/my-bot/").json()["allow_tests"] is True
    told = patch(api.client, {"allow_tests": False}).json()
    assert (told["allow_tests"], told["notes"]) == (False, "It plays.")
    assert patch(api.client, {"notes": "It wins."}).json()["notes"] == "It wins."
    problem(patch(api.client, {"notes": "x" * 2001}), 400, "invalid")
    problem(patch(Api(bert).client, {"allow_tests": True}), 404, "not_found")
    problem(patch(Api(ann, "read").client, {"allow_tests": True}), 403, "permission_denied")
    problem(patch(Client(), {"allow_tests": True}), 401, "not_authenticated")
    Bot.objects.update(notes_hidden=True)
    assert patch(api.client, {"notes": "It still wins."}).json()["notes"] == ""
    found = Bot.objects.get()
    assert (found.notes, found.allow_tests, found.notes_hidden) == ("It still wins.", False, True)


def test_what_belongs_to_others_is_not_there():
    owner = person("owner")
    bot = bots.create_bot(owner, name="their-bot", kind="sandbox")
    submissions.submit_version(bot, upload=Upload("bot.py", b"pass\n"))
    api = Api(person("stranger"))
    assert api.get("/bots/their-bot/").json()["author"] == "owner"
    for path in ("versions/", "versions/1/", "versions/1/source/"):
        problem(api.get(f"/bots/their-bot/{path}"), 404, "not_found")
    for path in (
        "pause/",
        "resume/",
        "withdraw/",
        "secret/",
        "versions/",
        "versions/1/check/",
        "versions/1/activate/",
    ):
        problem(api.post(f"/bots/their-bot/{path}"), 404, "not_found")
    bot.refresh_from_db()
    assert bot.state == "active"


def test_a_token_opens_what_its_scopes_name_and_no_more():
    user = person()
    bots.create_bot(user, name="my-bot", kind="sandbox")
    reader = Api(user, "read")
    assert reader.get("/bots/my-bot/versions/").status_code == 200
    refusal = problem(reader.post("/bots/my-bot/pause/"), 403, "permission_denied")
    assert refusal["detail"] == "This needs a token with the scope bots:write."
    problem(Api(user, "logs:read").get("/bots/my-bot/versions/"), 403, "permission_denied")
    problem(reader.get("/tokens/"), 403, "permission_denied")
    assert Api(user, "bots:write").get("/me/").json()["limits"]["bots"] == 1


def test_a_session_works_too_and_needs_a_csrf_token():
    user = person()
    bots.create_bot(user, name="my-bot", kind="sandbox")
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(user)
    assert browser.get("/api/v1/me/").status_code == 200
    problem(browser.post("/api/v1/bots/my-bot/pause/", {}, "application/json"), 403, "permission_denied")
    browser.get("/me/tokens/")
    value = browser.cookies["csrftoken"].value
    done = browser.post("/api/v1/bots/my-bot/pause/", {}, "application/json", headers={"x-csrftoken": value})
    assert done.json()["state"] == "paused"


@pytest.mark.parametrize(
    "value", ["Token", "Token nonsense", "Token a b", "Token \x80\xff", "Token " + "9" * 5000]
)
def test_a_wrong_token_is_401_in_one_shape(value):
    response = Client().get("/api/v1/me/", headers={"authorization": value})
    problem(response, 401, "authentication_failed")
    assert response["www-authenticate"] == "Token"


def test_without_a_token_one_reads_what_is_public_and_writes_nothing():
    bots.create_bot(person(), name="my-bot", kind="sandbox")
    assert Client().get("/api/v1/bots/").json()["results"][0]["name"] == "my-bot"
    problem(Client().post("/api/v1/bots/", {}, "application/json"), 401, "not_authenticated")
    problem(Client().get("/api/v1/me/"), 401, "not_authenticated")


def test_name_and_password_give_a_token():
    user = person()
    user.set_password("a long pass phrase")
    user.save()
    wish = {"username": "ann", "password": "a long pass phrase"}
    made = Client().post("/api/v1/auth/token/", wish, "application/json")
    assert (made.status_code, made.json()["scopes"]) == (201, ["bots:write", "read"])
    me = Client().get("/api/v1/me/", headers={"authorization": f"Token {made.json()['token']}"})
    assert me.json()["username"] == "ann"
    wrong = Client().post("/api/v1/auth/token/", wish | {"password": "no"}, "application/json")
    problem(wrong, 401, "wrong_password")


def test_too_many_tries_are_429_and_say_when_to_come_back():
    wish = {"username": "ann", "password": "no"}
    for _ in range(20):
        problem(Client().post("/api/v1/auth/token/", wish, "application/json"), 401, "wrong_password")
    refusal = Client().post("/api/v1/auth/token/", wish, "application/json")
    problem(refusal, 429, "throttled")
    assert int(refusal["retry-after"]) > 0


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"null", 400),
        (b'"text"', 400),
        (b"\xff\xfe", 400),
        (b'{"name": NaN}', 400),
        (b"[" * 100_000, 400),
        (b'{"name": "\\ud800", "kind": "sandbox"}', 400),
        (b'{"name": "a\\u0000b", "kind": "sandbox"}', 400),
        (b'{"name": {"a": []}, "kind": 7}', 400),
        (b'{"name": "abc", "kind": "house"}', 400),
        (b"{}", 400),
        (b" " * 300_000, 413),
    ],
)
def test_a_bad_body_is_a_clear_refusal(body, status):
    api = Api(person())
    response = api.client.post("/api/v1/bots/", body, "application/json")
    assert response.status_code == status, response.content
    assert response["content-type"] == PROBLEM
    assert not Bot.objects.exists()


def test_input_errors_are_listed_by_field():
    body = problem(Api(person()).post("/bots/", {"name": "A!", "kind": "robot"}), 400, "invalid")
    assert {error["field"] for error in body["errors"]} == {"name", "kind"}
    assert body["detail"].startswith("name: ")


def test_wrong_method_media_type_and_address_have_the_same_shape():
    api = Api(person())
    problem(api.client.delete("/api/v1/bots/"), 405, "method_not_allowed")
    problem(api.client.post("/api/v1/bots/", "<bot/>", "text/xml"), 415, "unsupported_media_type")
    for path in ("/api/v1/nothing/", "/api/v2/", "/api/v1/bots/no-such-bot/", "/api/v1/bots"):
        problem(api.client.get(path), 404, "not_found")
    problem(api.get("/bots/?cursor=abc"), 404, "not_found")
    problem(api.get("/bots/?cursor=cD14eXo%3D"), 404, "not_found")  # p=xyz
    problem(api.get("/bots/?kind=wrong"), 400, "invalid")


def test_uploads_that_will_not_do_are_refused_and_nothing_is_kept():
    api = Api(person())
    api.post("/bots/", {"name": "my-bot", "kind": "sandbox"})
    versions = "/bots/my-bot/versions/"
    assert problem(api.upload(versions, "bot.zip", b"PK\3\4 broken"), 400, "bad_archive")["detail"]
    problem(api.upload(versions, "bot.exe", b"MZ"), 400, "bad_archive")
    problem(api.upload(versions, "bot.py", b"#" * 300_000), 400, "bad_archive")
    problem(api.upload(versions, "bot.zip", b"PK\3\4" + b"0" * (6 << 20)), 413, "body_too_large")
    problem(api.post(versions, {}), 400, "file_expected")
    problem(api.post(versions, {"url": "http://127.0.0.1/"}), 400, "file_expected")
    broken = api.client.post(f"/api/v1{versions}", b"--x\r\nbroken", "multipart/form-data; boundary=y")
    assert broken.status_code == 400
    nameless = api.client.post(f"/api/v1{versions}", b"", "multipart/form-data")
    assert nameless.status_code == 400
    assert not Version.objects.exists()


def test_tokens_are_made_and_revoked_by_session():
    browser = Client()
    browser.force_login(person())
    made = browser.post("/api/v1/tokens/", {"name": "ci", "scopes": ["read"]}, "application/json").json()
    headers = {"authorization": f"Token {made['token']}"}
    assert Client().get("/api/v1/me/", headers=headers).status_code == 200
    listed = browser.get("/api/v1/tokens/").json()["results"]
    assert [(one["id"], one["name"]) for one in listed] == [(made["id"], "ci")]
    assert "token" not in listed[0]
    stranger = Client()
    stranger.force_login(person("bob"))
    problem(stranger.delete(f"/api/v1/tokens/{made['id']}/"), 404, "not_found")
    assert browser.delete(f"/api/v1/tokens/{made['id']}/").status_code == 204
    assert Client().get("/api/v1/me/", headers=headers).status_code == 401


def test_pages_of_a_list_follow_a_cursor():
    user = person()
    for number in range(5):
        bots.create_bot(user, name=f"bot-{number}", kind="sandbox")
    first = Client().get("/api/v1/bots/?page_size=3").json()
    second = Client().get(first["next"]).json()
    assert [one["name"] for one in first["results"] + second["results"]] == [
        f"bot-{n}" for n in (4, 3, 2, 1, 0)
    ]
    assert second["next"] is None


def test_a_list_takes_a_fixed_number_of_queries(django_assert_max_num_queries):
    user = person()
    for number in range(8):
        bot = bots.create_bot(user, name=f"bot-{number}", kind="sandbox")
        version, _ = submissions.submit_version(bot, upload=Upload("b.py", f"a = {number}\n".encode()))
        report = {"verdict": "passed", "code": "", "message": "", "steps": [], "turns": []}
        submissions.record_check(version, report)
    with django_assert_max_num_queries(2):
        assert len(Client().get("/api/v1/bots/").json()["results"]) == 8


def test_the_description_is_valid_and_without_warnings(tmp_path):
    call_command("spectacular", "--fail-on-warn", "--validate", "--file", str(tmp_path / "schema.yml"))
    assert "Problem" in (tmp_path / "schema.yml").read_text()
    page = Client().get("/api/v1/")
    assert page.status_code == 200
    assert b"//cdn" not in page.content


def test_a_fault_of_ours_is_a_problem_document_too(client, monkeypatch):
    def fail(*_args):
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr("botapi.submissions.usage", fail)
    client.raise_request_exception = False
    client.force_login(User.objects.create_user("unlucky", "unlucky@example.org", "x"))
    answer = client.get("/api/v1/me/")
    assert answer.status_code == 500
    assert answer["content-type"] == "application/problem+json"
    assert "on purpose" not in answer.content.decode()


@pytest.mark.parametrize("path", ["seasons", "bots", "matches", "series"])
def test_a_forged_cursor_is_no_fault_of_ours(client, path):
    for cursor in ("x", "cD0lMDA=", "cD1ub3BlJm89OTk5OTk5OTk5OTk5OTk5OTk5OTk5OQ=="):
        answer = client.get(f"/api/v1/{path}/", {"cursor": cursor})
        assert answer.status_code in {200, 404}
