"""Guests of one address share a limit: nobody takes all tables, and whoever has an account is not counted."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from botapi import addresses
from games import guests
from games.models import Match
from games.people_models import Person
from games.queue import OPEN_STATES
from tests.games import making, seated

pytestmark = pytest.mark.django_db

WISH = {"rules": "nl-3", "short": True, "opponents": ["greedy", "counter"]}


@pytest.fixture(autouse=True)
def _bots():
    for name in ("greedy", "counter"):
        making.house(name)


def guest(address="192.0.2.7", **more):
    return Client(REMOTE_ADDR=address, **more)


def sit(client, **headers):
    return client.post("/api/v1/practice/", WISH, content_type="application/json", headers=headers)


def open_tables():
    return Match.objects.filter(state__in=OPEN_STATES).count()


def test_one_address_has_a_handful_of_guests_tables_and_others_still_sit_down(settings):
    settings.GUEST_TABLES_OPEN = 2
    tables = [sit(guest()).json()["match"] for _ in range(2)]
    refused = sit(guest(), **{"X-Forwarded-For": "198.51.100.9"})
    assert (refused.status_code, refused.json()["code"]) == (429, "address_full")
    assert "finish one or give it up" in refused.json()["detail"]
    assert int(refused["Retry-After"]) > 0
    assert sit(guest("192.0.2.8")).status_code == 201
    Match.objects.filter(pk=tables[0]).update(state="void")
    assert sit(guest()).status_code == 201


def test_an_address_of_ipv6_is_its_network(settings):
    settings.GUEST_TABLES_OPEN = 1
    assert sit(guest("2001:db8::1")).status_code == 201
    assert sit(guest("2001:db8::ffff:1")).json()["code"] == "address_full"
    assert sit(guest("2001:db8:0:1::1")).status_code == 201
    assert addresses.network("::ffff:192.0.2.7") == "192.0.2.7"
    assert addresses.network("testclient") == "testclient"


def test_whoever_begins_tables_one_after_another_is_told_to_wait(settings):
    settings.GUEST_TABLES_HOUR = 2
    for _ in range(2):
        assert sit(guest()).status_code == 201
        Match.objects.update(state="void")
    refused = sit(guest())
    assert (refused.status_code, refused.json()["code"]) == (429, "address_too_quick")
    Match.objects.update(created_at=timezone.now() - timedelta(hours=2))
    assert sit(guest()).status_code == 201


def test_the_page_says_what_to_do_and_leads_to_the_tables_that_are_open(settings):
    settings.GUEST_TABLES_OPEN = 1
    client = guest()
    client.post("/play/", {"now": "1"})
    page = client.post("/play/", {"now": "1"}, follow=True).content.decode()
    assert "finish it or give it up, or log in." in page
    assert f"/tables/{Match.objects.get().pk}/" in page
    assert open_tables() == 1


def test_a_deal_that_is_played_again_counts_as_well(settings):
    settings.GUEST_TABLES_OPEN = 1
    match = making.finished()
    for _ in range(2):
        guest().post(f"/matches/{match.pk}/deals/1/play/", {"seat": "0"})
    assert open_tables() == 1


def test_accounts_have_tables_of_their_own(settings):
    settings.GUEST_TABLES_OPEN = 1
    assert sit(guest()).status_code == 201
    member = guest()
    member.force_login(making.author())
    assert sit(member).status_code == 201
    assert sit(member).status_code == 201
    assert Person.objects.filter(user__isnull=False, origin="").count() == 1


def test_where_a_guest_came_from_is_kept_as_a_digest_and_forgotten_after_a_day():
    match = sit(guest()).json()["match"]
    person = Person.objects.get()
    assert person.origin == addresses.digest("192.0.2.7") != addresses.digest("192.0.2.8")
    assert "192" not in person.origin
    Match.objects.filter(pk=match).update(created_at=timezone.now() - timedelta(days=2))
    assert guests.forget_origins() == 0
    Match.objects.filter(pk=match).update(state="finished")
    assert guests.forget_origins() == 1
    assert Person.objects.get().origin == ""


def test_a_guest_who_signs_up_leaves_no_origin():
    client = guest()
    assert sit(client).status_code == 201
    client.force_login(making.author())
    client.get("/play/")
    person = Person.objects.get()
    assert (person.user is None, person.origin) == (False, "")


def test_a_table_that_no_request_asked_for_has_no_address():
    assert seated.sit(seated.person()).state == "queued"


def test_a_header_of_the_visitors_does_not_get_round_the_limits_of_the_api(settings):
    from django.core.cache import cache

    cache.clear()
    statuses = [
        guest("192.0.2.99")
        .post(
            "/api/v1/auth/token/",
            {"username": "nobody", "password": "x"},
            content_type="application/json",
            headers={"X-Forwarded-For": f"198.51.100.{number}"},
        )
        .status_code
        for number in range(21)
    ]
    assert statuses == [401] * 20 + [429]
    cache.clear()
