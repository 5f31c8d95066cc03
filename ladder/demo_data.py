"""What a first look at the service needs: an operator, an open season, a cup, house bots, three sample authors.

The authors go through the front door: they log in at the API and submit a bot each there, as anybody would.
What exists stays.
"""

from __future__ import annotations

import json
import secrets
from datetime import timedelta
from importlib import resources
from typing import Any, Final

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from knox.models import AuthToken

from botapi import accounts, bots
from botapi.house_bots import enter_house_bots
from botapi.models import Bot, User
from engine import PRESETS
from ladder import registration, seasons, tournaments
from ladder.models import Season
from ladder.tournament_models import Tournament

SANDBOXED: Final = {"ada": ("ada-starter", "starter.py"), "bogdan": ("bogdan-sharp", "sharp.py")}
"""Author, bot, and the file among ``botapi/samples``."""

CUP_BEGINS_IN: Final = timedelta(minutes=15)
"""Time to make a bot and to enter it."""

HTTP_AUTHOR, HTTP_BOT = "cecylia", "cecylia-http"


class FrontDoorError(Exception):
    """The API did not take what a sample author brought; the message holds its answer."""


def prepare(*, operator_password: str, http_bot_url: str) -> str:
    """Make what is missing; returns the signing secret of the sample HTTP bot at ``http_bot_url``."""
    _operator(operator_password)
    enter_house_bots()
    if not Season.objects.exists():
        season = seasons.create_season("first", name="First season", ruleset=PRESETS["pl-3"])
        seasons.open_season(season)
    if not Tournament.objects.exists():
        _announce_cup()
    for author, (bot, file) in SANDBOXED.items():
        _submit_file(_door(author), bot, file)
    return _submit_endpoint(_door(HTTP_AUTHOR), http_bot_url)


def _announce_cup() -> None:
    """A short Swiss of the house bots that anybody may join before it begins."""
    cup = tournaments.create_tournament(
        "first-cup",
        name="First cup",
        notes="Enter your bot on this page before it begins; the house bots are in already.",
        ruleset=PRESETS["cz-3-short"],
        format=Tournament.Format.SWISS,
        rounds=3,
        per_author=2,
        starts_at=timezone.now() + CUP_BEGINS_IN,
    )
    tournaments.open_registration(cup)
    for bot in Bot.objects.filter(kind=Bot.Kind.HOUSE).select_related("active_version", "owner"):
        registration.enter(cup, bot)


def _operator(password: str) -> None:
    user, _ = User.objects.get_or_create(
        username="operator", defaults={"email": "operator@localhost", "is_staff": True, "is_superuser": True}
    )
    user.set_password(password)
    user.save()


def _door(author: str) -> Client:
    """The API as ``author`` meets it, logged in with a fresh password and token."""
    user = User.objects.filter(username=author).first()
    password = secrets.token_urlsafe(16)
    if user is None:
        user = accounts.sign_up(username=author, email=f"{author}@example.org", password=password)
    user.set_password(password)
    user.email_verified_at = user.email_verified_at or timezone.now()
    user.save()
    AuthToken.objects.filter(user=user).delete()
    login = {"username": author, "password": password, "name": "demo"}
    token = _post(Client(), "/api/v1/auth/token/", login, 201)["token"]
    return Client(headers={"authorization": f"Token {token}"})


def _post(client: Client, path: str, data: dict[str, Any], *expected: int) -> dict[str, Any]:
    multipart = any(isinstance(value, SimpleUploadedFile) for value in data.values())
    how: dict[str, Any] = {} if multipart else {"content_type": "application/json"}
    response = client.post(path, data, headers={"host": "127.0.0.1"}, **how)
    if response.status_code not in expected:
        raise FrontDoorError(f"POST {path}: {response.status_code} {response.content.decode()[:500]}")
    answer: dict[str, Any] = json.loads(response.content)
    return answer


def _submit_file(client: Client, bot: str, file: str) -> None:
    if not Bot.objects.filter(name=bot).exists():
        _post(client, "/api/v1/bots/", {"name": bot, "kind": "sandbox"}, 201)
    source = resources.files("botapi.samples").joinpath(file).read_bytes()
    upload = SimpleUploadedFile(file, source, content_type="text/x-python")
    _post(client, f"/api/v1/bots/{bot}/versions/", {"file": upload}, 200, 201)


def _submit_endpoint(client: Client, url: str) -> str:
    """Register the HTTP bot; on a later start its secret is the one it has."""
    found = Bot.objects.filter(name=HTTP_BOT).first()
    if found is None:
        made = _post(client, "/api/v1/bots/", {"name": HTTP_BOT, "kind": "http"}, 201)
        secret: str = made["secret"]
    else:
        secret = bots.endpoint_secrets(found)[0]
    _post(client, f"/api/v1/bots/{HTTP_BOT}/versions/", {"url": url}, 200, 201)
    return secret
