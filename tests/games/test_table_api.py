"""The tables of people over the API: guests by session, accounts by token; nobody else learns of them."""

import pytest
from django.test import Client

from botapi import tokens
from games import guests, practice
from games.models import Match, Seat
from games.people_models import Person
from tests.games import making

pytestmark = pytest.mark.django_db

WISH = {"rules": "nl-3", "short": True, "opponents": ["greedy", "counter"]}


@pytest.fixture(autouse=True)
def _bots():
    for name in ("greedy", "counter"):
        making.house(name)


def post(client, address, body=None, **headers):
    return client.post(f"/api/v1/{address}", body or {}, content_type="application/json", headers=headers)


def test_a_guest_sits_down_and_only_that_browser_sees_the_table():
    guest, other = Client(), Client()
    made = post(guest, "practice/", WISH | {"alias": "Anna"})
    assert made.status_code == 201, made.content
    table = made.json()
    assert (table["state"], table["seat"], table["people"]) == ("queued", 0, [0])
    assert table["names"] == ["Anna", "greedy", "counter"]
    assert (table["short"], table["rules"]["target"], table["rules"]["base"]) == (True, 500, "nl-3")
    assert table["view"] is table["ask"] is table["outcome"] is None
    address = f"tables/{table['match']}/"
    assert guest.get(f"/api/v1/{address}").json()["version"] == table["version"]
    assert post(guest, address + "pace/", {"bot_ms": 0, "trick_ms": 100}).json()["trick_ms"] == 100
    late = post(guest, address + "answer/", {"question": 1, "action": "pass"})
    assert (late.status_code, late.json()["code"]) == (409, "not_asked")

    post(other, "practice/", WISH)
    for refused in (
        other.get(f"/api/v1/{address}"),
        Client().get(f"/api/v1/{address}"),
        post(other, address + "answer/", {"question": 1, "action": "pass"}),
        post(other, address + "back/"),
        post(other, address + "leave/"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (404, "no_such_table")
    assert post(guest, address + "leave/").json()["state"] == "void"
    assert not Match.objects.get(pk=table["match"]).rated


def test_a_guests_answer_needs_the_csrf_token():
    guest = Client(enforce_csrf_checks=True)
    assert post(guest, "practice/", WISH).status_code == 403
    assert not Match.objects.exists()


def test_a_token_needs_the_scope_for_events():
    user = making.author()
    _, reading = tokens.create_token(user, name="r", scopes=[tokens.READ])
    _, joining = tokens.create_token(user, name="j", scopes=[tokens.EVENTS_JOIN])
    refused = post(Client(), "practice/", WISH, Authorization=f"Token {reading}")
    assert refused.status_code == 403
    made = post(Client(), "practice/", WISH, Authorization=f"Token {joining}")
    assert made.status_code == 201, made.content
    assert made.json()["names"][0] == user.username[: guests.ALIAS_CHARS]


def test_whoever_signs_in_keeps_what_the_guest_played():
    client, user = Client(), making.author()
    table = post(client, "practice/", WISH | {"alias": "Anna"}).json()
    client.force_login(user)
    assert client.get(f"/api/v1/tables/{table['match']}/").status_code == 200
    assert Person.objects.get().user == user
    again = Client()
    mine = post(again, "practice/", WISH | {"alias": "Anna"}).json()
    again.force_login(user)
    assert again.get(f"/api/v1/tables/{mine['match']}/").json()["names"][0] == "Anna"
    assert Person.objects.count() == 1
    assert Seat.objects.filter(person__user=user).count() == 2


def test_names_tables_and_opponents_have_their_limits(monkeypatch):
    guest = Client()
    taken = making.author()
    ladder_bot = making.sandboxed(name="clever")
    for wish, code in (
        ({"alias": taken.username.upper()}, "alias_taken"),
        ({"alias": "greedy"}, "alias_taken"),
        ({"alias": "x"}, "bad_alias"),
        ({"opponents": ["greedy"]}, "wrong_number"),
        ({"opponents": ["greedy", "nobody"]}, "not_available"),
        ({"opponents": ["greedy", ladder_bot.bot.name]}, "not_available"),
    ):
        refused = post(guest, "practice/", WISH | wish)
        assert refused.json().get("code") == code, refused.content
    for _ in range(practice.OPEN_TABLES):
        assert post(guest, "practice/", WISH).status_code == 201
    assert post(guest, "practice/", WISH).json()["code"] == "too_many_tables"
    monkeypatch.setattr(practice, "GUEST_TABLES", practice.OPEN_TABLES)
    assert post(Client(), "practice/", WISH).json()["code"] == "tables_full"
    member = Client()
    member.force_login(taken)
    made = post(member, "practice/", WISH | {"opponents": ["greedy", "clever"]})
    assert made.status_code == 201, made.content
