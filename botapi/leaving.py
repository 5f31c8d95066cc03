"""A person leaves: what of an account goes at once, and what of the bots goes when their last matches are over.

Records, ratings and bots' names stay for ever. An account that records still need loses everything that says whose
it was; any other is gone altogether.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from django.db import transaction
from django.db.models import ProtectedError, QuerySet
from django.utils import timezone
from knox.models import AuthToken

from botapi import bots
from botapi.models import Artifact, Bot, EndpointSecret, IdempotencyKey, User, Version, Webhook

PREFIX: Final = "deleted-"
"""Names of accounts that were left begin with it; nobody else's does."""


@transaction.atomic
def leave(user: User) -> None:
    """Withdraw the person's bots, forget the person, and close the account on every device."""
    bots.lock_author(user)
    for bot in user.bots.exclude(state=Bot.State.WITHDRAWN).order_by("pk"):
        bots.withdraw_bot(bot)
    user.bots.update(notes="")
    AuthToken.objects.filter(user=user).delete()
    Webhook.objects.filter(user=user).delete()
    IdempotencyKey.objects.filter(user=user).delete()
    _forget(user)
    try:
        with transaction.atomic():
            user.delete()
    except ProtectedError:
        pass  # a record needs the row; nothing in it says any more whose it was


def _forget(user: User) -> None:
    """A password that nobody has also ends every session (they hold a digest of it)."""
    user.username, user.email = f"{PREFIX}{user.pk}", f"{PREFIX}{user.pk}@invalid"
    user.first_name = user.last_name = user.language = ""
    user.display = {}
    user.email_verified_at = user.last_login = None
    user.is_active = user.is_staff = user.is_superuser = user.is_organiser = False
    user.left_at = timezone.now()
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()


def left_versions() -> QuerySet[Version]:
    """Versions of people who left that still hold something of theirs."""
    return Version.objects.filter(bot__owner__left_at__isnull=False).exclude(
        artifact=None, url="", label="", check_report=None
    )


@transaction.atomic
def erase(versions: Collection[int]) -> None:
    """Erase sources, endpoints, check reports and signing secrets of ``versions`` (keys), which nobody plays any more.

    Their rows stay, with number and content hash: records name them.
    """
    rows = Version.objects.filter(pk__in=versions, bot__owner__left_at__isnull=False)
    sources = set(rows.exclude(artifact=None).values_list("artifact_id", flat=True))
    rows.update(artifact=None, url="", label="", check_report=None)
    Artifact.objects.filter(pk__in=sources, version=None).delete()
    left = EndpointSecret.objects.filter(bot__versions__in=versions)
    left.exclude(bot__versions__in=left_versions()).delete()
