"""The house bots as competitors: a Bot without an owner each, a new version whenever their code changes."""

from __future__ import annotations

import hashlib
from importlib import resources

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from botapi.house import HOUSE_BOTS
from botapi.models import Bot, Version


def code_sha256(name: str) -> str:
    """Content hash of a house bot: its name and the source of the package that plays for it."""
    digest = hashlib.sha256(f"house\n{name}\n".encode())
    package = resources.files("botapi.house")
    for file in sorted(package.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".py"):
            digest.update(file.name.encode() + b"\n" + file.read_bytes())
    return digest.hexdigest()


@transaction.atomic
def enter_house_bots() -> list[Bot]:
    """All house bots, each with the version of today's code active. Trusted code: no check is needed."""
    return [enter_house_bot(name, name) for name in HOUSE_BOTS]


@transaction.atomic
def enter_house_bot(name: str, house: str) -> Bot:
    """The bot ``name``, played by the house bot ``house``, made if need be."""
    bot, _ = Bot.objects.get_or_create(name=name, defaults={"kind": Bot.Kind.HOUSE, "house": house})
    newest = bot.versions.aggregate(newest=Max("number"))["newest"] or 0
    version, _ = Version.objects.get_or_create(
        bot=bot,
        sha256=code_sha256(house),
        defaults={"number": newest + 1, "state": Version.State.PASSED, "checked_at": timezone.now()},
    )
    bot.active_version = version
    bot.save(update_fields=["active_version"])
    return bot
