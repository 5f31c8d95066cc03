"""Seasons over REST: made, changed, opened and closed by those who may, read by everybody."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.cache import cache
from django.utils import timezone
from rest_framework.test import APIClient

from botapi.models import User
from botapi.tokens import create_token
from engine import PRESETS
from ladder.models import Pool, Season
from ladder.seasons import default_clocks
from tests.ladder import making

pytestmark = pytest.mark.django_db
WISH = {"slug": "spring", "name": "Spring", "rules": "ru-3", "queue_target": 2}


@pytest.fixture(autouse=True)
def _fresh_throttles() -> None:
    cache.clear()


def operator() -> User:
    user = making.author()
    user.user_permissions.set(Permission.objects.filter(codename="change_season"))
    return user


def client(user: User | None = None, scope: str = "events:run") -> APIClient:
    made = APIClient()
    if user is not None:
        made.credentials(HTTP_AUTHORIZATION=f"Token {create_token(user, name='t', scopes=[scope])[1]}")
    return made


def asked(answer: Any, status: int) -> Any:
    assert answer.status_code == status, answer.content
    if status >= 400:
        assert answer["Content-Type"] == "application/problem+json"
    return answer.json()


def post(who: APIClient, address: str, body: object, status: int, key: str = "") -> Any:
    answer = who.post(f"/api/v1/seasons/{address}", body, format="json", HTTP_IDEMPOTENCY_KEY=key)
    return asked(answer, status)


def test_a_season_is_made_opened_and_closed_by_api_alone_each_step_once_a_key() -> None:
    run = client(operator())
    made = post(run, "", WISH, 201, "one")
    assert (made["state"], made["players"], made["secret_sha256"]) == ("draft", 3, None)
    assert made["rules"] == PRESETS["ru-3"].to_json()
    assert post(run, "", WISH, 201, "one") == made
    assert Season.objects.get().queue_target == 2
    asked(client().get("/api/v1/seasons/spring/"), 404)
    assert asked(run.get("/api/v1/seasons/spring/"), 200)["state"] == "draft"
    opened = post(run, "spring/open/", {}, 200, "two")
    assert (opened["state"], opened["pool"], len(opened["secret_sha256"])) == (
        "open",
        Pool.objects.get().pk,
        64,
    )
    assert post(run, "spring/open/", {}, 200, "two") == opened
    assert post(run, "spring/open/", {}, 409)["code"] == "not_a_draft"
    assert asked(client().get("/api/v1/seasons/"), 200)["results"] == [opened]
    closed = post(run, "spring/close/", {}, 200)
    assert (closed["state"], closed["secret"]) == ("closed", None)
    assert post(run, "spring/close/", {}, 409)["code"] == "not_open"


def test_nobody_else_makes_opens_or_closes_a_season() -> None:
    making.pool("autumn")
    for address, body in (("", WISH), ("autumn/open/", {}), ("autumn/close/", {})):
        post(client(), address, body, 401)
        post(client(making.author()), address, body, 403)
        post(client(operator(), "bots:write"), address, body, 403)
    assert Season.objects.get().state == "open"


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"rules": "whist"}, "bad_rules"),
        ({"rules": {"name": "x", "base": "pl-3", "options": {"players": 9}}}, "bad_rules"),
        ({"rules": 7}, "bad_rules"),
        ({"timetable": "every day"}, "bad_timetable"),
        ({"timetable": "0 0 30 2 *"}, "bad_timetable"),
        ({"closes_at": "2020-01-01T00:00Z"}, "bad_dates"),
        ({"slug": "not a slug"}, "invalid"),
        ({"queue_target": -1}, "invalid"),
        ({"name": "a\0b"}, "invalid"),
        ({"clocks": {"sandbox": {"act_ms": 0}}}, "invalid"),
    ],
)
def test_a_season_that_cannot_be_is_refused_with_the_reason(wrong: dict[str, Any], code: str) -> None:
    assert post(client(operator()), "", WISH | wrong, 400)["code"] == code
    assert not Season.objects.exists()


def test_a_name_is_given_to_one_season() -> None:
    run = client(operator())
    post(run, "", WISH, 201)
    assert post(run, "", WISH, 400)["errors"][0]["field"] == "slug"


def test_a_season_that_was_to_close_already_is_not_opened() -> None:
    run = client(operator())
    post(run, "", WISH, 201)
    Season.objects.update(closes_at=timezone.now() - timedelta(hours=1))
    assert post(run, "spring/open/", {}, 400)["code"] == "bad_dates"
    post(run, "winter/open/", {}, 404)


def patch(who: APIClient, body: object, status: int) -> Any:
    return asked(who.patch("/api/v1/seasons/spring/", body, format="json"), status)


def test_a_season_is_changed_as_far_as_its_state_allows() -> None:
    run = client(operator())
    post(run, "", WISH, 201)
    changed = patch(run, {"rules": "pl-2", "timetable": "0 18 * * *", "duplicate": True}, 200)
    assert (changed["players"], changed["timetable"], changed["duplicate"]) == (2, "0 18 * * *", True)
    assert patch(run, {"timetable": "daily"}, 400)["code"] == "bad_timetable"
    assert (
        patch(run, {"opens_at": "2098-01-01T00:00Z", "closes_at": "2097-01-01T00:00Z"}, 400)["code"]
        == "bad_dates"
    )
    assert patch(run, {"rules": "whist"}, 400)["code"] == "bad_rules"
    assert patch(run, {"queue_target": -1}, 400)["code"] == "invalid"
    post(run, "spring/open/", {}, 200)
    assert Pool.objects.get().players == 2
    for fixed in ({"rules": "pl-3"}, {"clocks": default_clocks()}, {"duplicate": False}, {"opens_at": None}):
        assert patch(run, fixed, 409)["code"] == "fixed"
    opened = patch(run, {"closes_at": "2099-01-01T00:00Z", "queue_target": 7, "timetable": ""}, 200)
    assert (opened["closes_at"], opened["timetable"]) == ("2099-01-01T00:00:00Z", "")
    assert patch(run, {"closes_at": "2020-01-01T00:00Z"}, 400)["code"] == "bad_dates"
    post(run, "spring/close/", {}, 200)
    assert patch(run, {"closes_at": None}, 409)["code"] == "fixed"
    assert patch(run, {"name": "Spring of 2026"}, 200)["name"] == "Spring of 2026"
    season = Season.objects.get()
    assert (season.slug, season.queue_target, season.rules) == ("spring", 7, PRESETS["pl-2"].to_json())


def test_nobody_else_changes_a_season() -> None:
    making.pool("spring")
    patch(client(), {"name": "Mine"}, 401)
    patch(client(making.author()), {"name": "Mine"}, 403)
    assert Season.objects.get().name == "Spring"
