"""Matches over REST: what everybody sees, what stays hidden until the end, what only authors see."""

import hashlib
import json

import pytest
from rest_framework.test import APIClient

from botapi.tokens import create_token
from engine.record import verify
from games import queue, results
from games.models import LogLook, Match
from tests.games import making

pytestmark = pytest.mark.django_db


def api(user=None, scopes=("bots:write", "logs:read")):
    client = APIClient()
    if user is not None:
        client.credentials(HTTP_AUTHORIZATION=f"Token {create_token(user, name='t', scopes=scopes)[1]}")
    return client


def get(address, user=None, **query):
    return api(user).get(f"/api/v1/{address}", query)


def test_matches_are_listed_the_newest_first_and_filtered():
    first, second = making.finished(rated=True), making.match()
    page = get("matches/").json()
    assert [row["id"] for row in page["results"]] == [second.pk, first.pk]
    assert [row["id"] for row in get("matches/", state="finished").json()["results"]] == [first.pk]
    assert len(get("matches/", bot="greedy").json()["results"]) == 2
    assert get("matches/", bot="nobody").json()["results"] == []
    assert get("matches/", state="nonsense").status_code == 400


def test_a_list_needs_as_many_queries_for_many_matches_as_for_few(django_assert_max_num_queries):
    for _ in range(10):
        making.match()
    with django_assert_max_num_queries(4):
        get("matches/")


def test_a_finished_match_is_shown_with_its_seats_attempts_and_faults():
    match = making.finished([making.sandboxed() for _ in range(3)], faults=[making.fault(1)])
    body = get(f"matches/{match.pk}/").json()
    assert body["state"] == "finished"
    assert [seat["place"] for seat in body["seats"]] == [seat.place for seat in match.seats.all()]
    assert body["attempts"][0]["outcome"] == "finished"
    assert body["faults"] == [{"attempt": 1, "seat": 1, "code": "timeout", "deal": 0, "action": 3}]
    assert "what happened" not in json.dumps(body)


def test_the_record_is_served_byte_for_byte_and_not_twice():
    match = making.finished()
    answer = get(f"matches/{match.pk}/record/")
    assert hashlib.sha256(answer.content).hexdigest() == match.record.sha256
    verify(answer.json())
    again = api().get(f"/api/v1/matches/{match.pk}/record/", HTTP_IF_NONE_MATCH=answer["ETag"])
    assert (again.status_code, again.content) == (304, b"")


def test_nothing_of_an_open_match_but_the_hash_of_its_seed_is_in_reach():
    match = making.match(requested_by=making.author())
    claim = queue.claim(match.pk, "w")
    operator = making.author(is_staff=True)
    for address in (
        "matches/",
        f"matches/{match.pk}/",
        f"matches/{match.pk}/record/",
        f"matches/{match.pk}/logs/",
    ):
        for user in (None, operator):
            text = get(address, user).content.decode()
            assert claim.seed.hex() not in text
            assert bytes(match.series.secret).hex() not in text
    assert get(f"matches/{match.pk}/record/").status_code == 404
    shown = get(f"matches/{match.pk}/").json()["attempts"][0]["seed_sha256"]
    assert shown == hashlib.sha256(claim.seed).hexdigest()


def test_a_table_of_a_block_stays_hidden_until_the_last_one_is_over():
    author = making.author()
    table = [making.sandboxed(owner=author), making.sandboxed(), making.sandboxed()]
    series = making.series()
    done = making.finished(table, block=1, series=series, faults=[making.fault(0)])
    open_one = making.match(table, block=1, rotation=1, series=series)
    assert get(f"matches/{done.pk}/record/").status_code == 404
    assert get(f"matches/{done.pk}/logs/", author).status_code == 404
    results.void(open_one, reason="test")
    assert get(f"matches/{done.pk}/record/").status_code == 200


def test_a_series_shows_its_hash_and_the_secret_only_when_it_is_revealed():
    series = making.series()
    body = get(f"series/{series.pk}/").json()
    assert body["secret_sha256"] == hashlib.sha256(bytes(series.secret)).hexdigest()
    assert body["secret"] is None
    series.revealed_at = "2026-01-01T00:00Z"
    series.save()
    assert get(f"series/{series.pk}/").json()["secret"] == bytes(series.secret).hex()
    assert get("series/", kind="tests").json()["results"][0]["id"] == series.pk


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("matches/999/", "There is no match 999."),
        ("matches/999/record/", "There is no such match."),
        ("matches/99999999999999999999/", "There is nothing at this address."),
        ("series/999/", "There is no series 999."),
        ("bots/nobody-here/", "There is no bot nobody-here."),
    ],
)
def test_what_is_not_there_is_a_404_problem_in_words(address, words):
    answer = get(address)
    assert answer.status_code == 404
    assert answer.json()["detail"] == words


# --- private logs ---------------------------------------------------------------------------------


@pytest.fixture
def logged():
    author = making.author()
    table = [making.sandboxed(owner=author), making.sandboxed(), making.house()]
    claim = queue.claim(making.match(table).pk, "w")
    result = making.result_of(claim, faults=[making.fault(0)])
    logs = [
        {"turns": b'[{"n": 0, "request": {"type": "hello"}}]', "stderr": f"secret of {seat}"}
        for seat in range(2)
    ]
    result = results.Result(
        record=result.record, faults=result.faults, logs=[*logs, {}], seconds=1, decisions=7
    )
    results.finish(claim.match.pk, 1, result)
    return claim.match, author


def test_an_author_reads_the_private_log_of_an_own_bot_and_of_no_other(logged):
    match, author = logged
    assert [row["seat"] for row in get(f"matches/{match.pk}/logs/", author).json()] == [0]
    body = get(f"matches/{match.pk}/logs/0/", author).json()
    assert body["stderr"] == "secret of 0"
    assert body["turns"] == [{"n": 0, "request": {"type": "hello"}}]
    assert "what happened" in body["faults"][0]["message"]
    assert get(f"matches/{match.pk}/logs/1/", author).status_code == 404
    assert not LogLook.objects.exists()


def test_to_others_a_private_log_does_not_exist(logged):
    match, _ = logged
    assert get(f"matches/{match.pk}/logs/", making.author()).status_code == 404
    assert get(f"matches/{match.pk}/logs/0/", making.author()).status_code == 404
    assert get(f"matches/{match.pk}/logs/0/").status_code == 401


def test_a_token_without_the_scope_reads_no_log(logged):
    match, author = logged
    assert api(author, ["read"]).get(f"/api/v1/matches/{match.pk}/logs/0/").status_code == 403


def test_each_look_of_an_operator_into_a_private_log_is_written_down(logged):
    match, _ = logged
    operator = making.author(is_staff=True)
    assert get(f"matches/{match.pk}/logs/1/", operator).json()["stderr"] == "secret of 1"
    look = LogLook.objects.get()
    assert (look.user, look.log.seat) == (operator, 1)
    assert get(f"matches/{match.pk}/logs/1/", operator, attempt="7").status_code == 404
    assert get(f"matches/{match.pk}/logs/1/", operator, attempt="x").status_code == 404


# --- test matches ---------------------------------------------------------------------------------


def ask(author, **changes):
    making.house("greedy")
    making.house("counter")
    key = changes.pop("key", "")
    wish = {"bot": "mine", "opponents": ["greedy", "counter"]} | changes
    headers = {"HTTP_IDEMPOTENCY_KEY": key} if key else {}
    return api(author).post("/api/v1/test-matches/", wish, format="json", **headers)


@pytest.fixture
def author():
    author = making.author()
    making.sandboxed(owner=author, name="mine")
    return author


def test_an_author_asks_for_an_unrated_test_match_and_sees_the_quota(author):
    answer = ask(author)
    assert answer.status_code == 201, answer.content
    match = Match.objects.get()
    assert (match.klass, match.rated, match.requested_by) == ("test", False, author)
    assert [seat["bot"] for seat in answer.json()["match"]["seats"]] == ["mine", "greedy", "counter"]
    assert (answer.json()["used_today"], answer.json()["a_day"]) == (1, 50)
    assert [row["id"] for row in get("test-matches/", author).json()["results"]] == [match.pk]
    assert get("test-matches/", making.author()).json()["results"] == []


def test_the_same_idempotency_key_queues_one_match(author):
    first, again = ask(author, key="k"), ask(author, key="k")
    assert first.json() == again.json()
    assert again["Idempotency-Replayed"] == "true"
    assert Match.objects.count() == 1
    other = ask(author, key="k", opponents=["counter", "greedy"])
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


def test_the_daily_quota_of_test_matches_holds(author, monkeypatch):
    monkeypatch.setattr("games.trials.A_DAY", 1)
    assert ask(author).status_code == 201
    refused = ask(author)
    assert (refused.status_code, refused.json()["code"]) == (429, "quota_used")
    assert Match.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"bot": "others"}, 404, "unknown_bot"),
        ({"version": 9}, 409, "no_version"),
        ({"opponents": ["greedy"]}, 400, "wrong_number"),
        ({"opponents": ["greedy", "shy"]}, 409, "not_available"),
        ({"opponents": ["greedy", "nobody"]}, 409, "not_available"),
        ({"rules": "bridge"}, 400, "invalid"),
        ({"opponents": "greedy"}, 400, "invalid"),
        ({"opponents": []}, 400, "invalid"),
        ({"version": "x"}, 400, "invalid"),
    ],
)
def test_a_wish_that_cannot_be_met_says_why_and_queues_nothing(author, changes, status, code):
    making.sandboxed(name="others")
    shy = making.sandboxed(name="shy").bot
    shy.allow_tests = False
    shy.save()
    answer = ask(author, **changes)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not Match.objects.exists()


def test_nobody_unknown_asks_for_test_matches():
    assert ask(None).status_code == 401
