"""The ladder in the admin site: seasons made, opened and closed; the log read, never edited, matches withdrawn."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.test import Client

from botapi.models import User
from engine import PRESETS
from ladder.models import Pool, RatingEvent, Season
from ladder.rating_log import rate_finished
from ladder.seasons import close_season
from tests.ladder import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("op", "op@example.org", "a-long-password"))
    return client


@pytest.fixture
def pool() -> Pool:
    pool = making.pool()
    making.season_of_matches(pool, making.versions(5), 10)
    rate_finished(pool)
    return pool


def act(client: Client, model: str, action: str, *rows: int) -> str:
    address = f"/admin/ladder/{model}/"
    answer = client.post(address, {"action": action, "_selected_action": rows}, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_season_is_made_from_a_preset_opened_and_closed(operator: Client) -> None:
    answer = operator.post(
        "/admin/ladder/season/add/",
        {"name": "Spring", "slug": "spring", "preset": "pl-3", "queue_target": 3, "rules": "", "clocks": ""},
    )
    assert answer.status_code == 302
    season = Season.objects.get()
    assert (season.players, season.state, season.rules) == (3, "draft", PRESETS["pl-3"].to_json())
    assert "opened" in act(operator, "season", "open_seasons", season.pk)
    assert Season.objects.get().series
    assert "opened before" in act(operator, "season", "open_seasons", season.pk)
    assert "filled" in act(operator, "season", "queue_now", season.pk)
    assert "closed" in act(operator, "season", "close_seasons", season.pk)
    assert Season.objects.get().state == "closed"


def test_a_season_with_dates_and_a_timetable_is_announced_and_wrong_ones_are_refused(
    operator: Client,
) -> None:
    form = {"name": "S", "slug": "s", "preset": "pl-3", "queue_target": 3, "rules": "", "clocks": ""}
    form |= {
        "opens_at_0": "2098-01-01",
        "opens_at_1": "12:00",
        "closes_at_0": "2097-01-01",
        "closes_at_1": "12:00",
    }
    page = operator.post("/admin/ladder/season/add/", form | {"timetable": "daily"}).content.decode()
    assert "closes after it has opened" in page
    assert "is no timetable" in page
    answer = operator.post(
        "/admin/ladder/season/add/", form | {"timetable": "0 18 * * *", "closes_at_0": "2099-01-01"}
    )
    assert answer.status_code == 302
    season = Season.objects.get()
    assert season.opens_at
    assert season.closes_at
    assert (season.state, season.opens_at.year, season.closes_at.year) == ("draft", 2098, 2099)
    act(operator, "season", "open_seasons", season.pk)
    page = operator.get(f"/admin/ladder/season/{season.pk}/change/").content.decode()
    assert 'name="opens_at_0"' not in page
    assert 'name="closes_at_0"' in page
    assert 'name="timetable"' in page


def test_impossible_rules_are_refused_with_the_reason(operator: Client) -> None:
    form = {"name": "S", "slug": "s", "preset": "", "queue_target": 3, "clocks": ""}
    for rules in ("", "{}", '{"name": "pl-3", "players": 77}'):
        answer = operator.post("/admin/ladder/season/add/", form | {"rules": rules})
        assert answer.status_code == 200
        assert "Choose a preset or give possible rules" in answer.content.decode()
    assert not Season.objects.exists()


def test_the_rules_of_an_open_season_are_fixed(operator: Client, pool: Pool) -> None:
    address = f"/admin/ladder/season/{pool.season.pk}/change/"
    page = operator.get(address).content.decode()
    assert 'name="rules"' not in page
    assert 'name="queue_target"' in page
    operator.post(address, {"name": "Renamed", "queue_target": 9, "rules": "{}"})
    season = Season.objects.get()
    assert (season.name, season.queue_target, season.rules) == ("Renamed", 9, pool.season.rules)


def test_clocks_that_are_none_are_refused(operator: Client) -> None:
    form = {"slug": "spring", "name": "Spring", "preset": "pl-3", "queue_target": 4}
    for clocks in ("5", '{"sandbox": {}}', '{"http": {"act_ms": 1}}'):
        answer = operator.post("/admin/ladder/season/add/", form | {"clocks": clocks})
        assert answer.status_code == 200
        assert "clocks" in answer.context["adminform"].form.errors
    assert not Season.objects.exists()


def test_what_beat_does_to_a_season_while_an_operator_edits_it_stands(pool: Pool) -> None:
    edited = Season.objects.get(pk=pool.season_id)
    close_season(pool.season)
    edited.name = "Renamed"
    page = admin.site.get_model_admin(Season)
    page.save_model(HttpRequest(), edited, SimpleNamespace(changed_data=["name", "preset"]), change=True)
    season = Season.objects.get(pk=pool.season_id)
    assert (season.name, season.state) == ("Renamed", "closed")


@pytest.mark.parametrize("model", ["season", "pool", "rating", "ratingevent", "ratingpoint"])
def test_every_list_and_first_row_opens(operator: Client, pool: Pool, model: str) -> None:
    page = operator.get(f"/admin/ladder/{model}/")
    assert page.status_code == 200
    assert operator.get(f"/admin/ladder/{model}/?q=bot").status_code in (200, 302)
    row = apps.get_model("ladder", model).objects.first()
    assert operator.get(f"/admin/ladder/{model}/{row.pk}/change/").status_code == 200


@pytest.mark.parametrize("model", ["pool", "rating", "ratingevent", "ratingpoint"])
def test_what_the_log_says_cannot_be_added_changed_or_deleted(
    operator: Client, pool: Pool, model: str
) -> None:
    assert operator.get(f"/admin/ladder/{model}/add/").status_code == 403
    row = apps.get_model("ladder", model).objects.first()
    assert operator.post(f"/admin/ladder/{model}/{row.pk}/change/", {"n": 1}).status_code == 403
    assert operator.post(f"/admin/ladder/{model}/{row.pk}/delete/", {"post": "yes"}).status_code == 403


def test_the_rating_of_a_match_is_withdrawn_once(operator: Client, pool: Pool) -> None:
    event = RatingEvent.objects.filter(kind="match").latest("seq")
    assert "withdrawn" in act(operator, "ratingevent", "void", event.pk)
    assert "withdrawn already" in act(operator, "ratingevent", "void", event.pk)
    void = RatingEvent.objects.get(kind="void")
    assert "withdrawn by op" in void.payload


def test_finished_matches_are_rated_on_demand(operator: Client, pool: Pool) -> None:
    making.season_of_matches(pool, making.versions(3), 2)
    assert "rated" in act(operator, "pool", "rate_now", pool.pk)
    assert RatingEvent.objects.filter(kind="match").count() == 12


def test_people_who_are_not_staff_do_not_come_in(client: Client, pool: Pool) -> None:
    client.force_login(making.author())
    assert client.get("/admin/ladder/ratingevent/").status_code == 302
