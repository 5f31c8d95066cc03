"""What a first look at the service needs: an operator, an open season, house bots, authors with bots.

Authors and bots come in by the verbs behind the pages and the API; their versions are checked like all.
"""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path
from typing import Final

from django.contrib.auth.hashers import check_password
from django.db import transaction

from botapi import accounts, bots, samples, submissions
from botapi.house import HOUSE_BOTS
from botapi.models import Bot, User, Version
from engine import PRESETS
from ladder import seasons
from ladder.models import Season

OPERATOR: Final = "operator"
RULES: Final = "pl-3"
SANDBOXED: Final = {"ada": ("ada-starter", "starter.py"), "bogdan": ("bogdan-sharp", "sharp.py")}
"""Author: name of the bot, file among the samples."""
HTTP_AUTHOR: Final = "cecylia"
HTTP_BOT: Final = "cecylia-http"


def prepare(*, operator_password: str, http_bot_url: str) -> str:
    """Make what is missing, keep what is there; returns the signing secret of the HTTP bot."""
    _operator(operator_password)
    _season()
    for name in HOUSE_BOTS:
        _house_bot(name)
    for author, (name, file) in SANDBOXED.items():
        upload = submissions.Upload(file, (Path(samples.__file__).parent / file).read_bytes())
        submissions.submit_version(_bot(_author(author), name, Bot.Kind.SANDBOX), upload=upload)
    return _http_bot(http_bot_url)


@transaction.atomic
def _operator(password: str) -> None:
    user = User.objects.filter(username=OPERATOR).first()
    if user is None:
        user = accounts.sign_up(username=OPERATOR, email=f"{OPERATOR}@example.org", password=password)
        user.is_staff = user.is_superuser = True
        user.save(update_fields=["is_staff", "is_superuser"])
    elif not check_password(password, user.password):  # the database is older than the secrets beside it
        user.set_password(password)
        user.save(update_fields=["password"])


@transaction.atomic
def _season() -> None:
    if not Season.objects.exists():
        seasons.open_season(seasons.create_season("first", name="First season", ruleset=PRESETS[RULES]))


@transaction.atomic
def _house_bot(name: str) -> None:
    """A house bot is our own code: its one version needs no check."""
    bot, new = Bot.objects.get_or_create(
        name=f"house-{name}", defaults={"kind": Bot.Kind.HOUSE, "house": name}
    )
    if new:
        digest = hashlib.sha256(f"house {name} 1".encode()).hexdigest()
        bot.active_version = Version.objects.create(
            bot=bot, number=1, sha256=digest, state=Version.State.PASSED, label="house bot"
        )
        bot.save(update_fields=["active_version"])


def _author(name: str) -> User:
    """A sample author; nobody knows the password, an operator may set another."""
    found = User.objects.filter(username=name).first()
    return found or accounts.sign_up(
        username=name, email=f"{name}@example.org", password=secrets.token_urlsafe(24)
    )


def _bot(owner: User, name: str, kind: str) -> Bot:
    return Bot.objects.filter(name=name).first() or bots.create_bot(owner, name=name, kind=kind)


def _http_bot(url: str) -> str:
    bot = _bot(_author(HTTP_AUTHOR), HTTP_BOT, Bot.Kind.HTTP)
    valid = bots.endpoint_secrets(bot)
    secret = valid[0] if valid else bots.rotate_secret(bot)
    submissions.submit_version(bot, url=url)
    return secret
