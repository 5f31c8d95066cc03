"""What this package holds of a person, as files for the person: the account, bots, versions with their sources, tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from botapi import display
from botapi.models import Complaint, User, Version, Webhook
from botapi.queries import bots_of, tokens_of

File = tuple[str, bytes]
"""A name, with folders, and what it holds."""


def as_json(found: Any) -> bytes:
    """JSON as a person can read it."""
    return json.dumps(found, ensure_ascii=False, indent=1, default=str).encode()


def export_of(user: User) -> Iterator[File]:
    """Everything of ``user`` here, one file after the other; secrets and digests of secrets are left out."""
    yield "account.json", as_json(_account(user))
    yield "bots.json", as_json([_bot(bot) for bot in bots_of(user)])
    yield "tokens.json", as_json([_token(token) for token in tokens_of(user)])
    yield "webhook.json", as_json(_webhook(user))
    complaints = Complaint.objects.filter(reporter=user).select_related("bot")
    yield "complaints.json", as_json([_complaint(complaint) for complaint in complaints])
    for pk in Version.objects.filter(bot__owner=user).order_by("pk").values_list("pk", flat=True):
        version = Version.objects.select_related("bot", "artifact").get(
            pk=pk
        )  # one at a time: sources are large
        folder = f"versions/{version.bot.name}-{version.number}"
        yield f"{folder}/version.json", as_json(_version(version))
        if version.artifact is not None:
            yield f"{folder}/source.zip", bytes(version.artifact.data)


def _account(user: User) -> dict[str, Any]:
    return {
        "username": user.username,
        "email": user.email,
        "email_verified_at": user.email_verified_at,
        "joined_at": user.date_joined,
        "last_login_at": user.last_login,
        "language": user.language,
        "display": asdict(display.read(user.display)),
        "organiser": user.is_organiser,
        "operator": user.is_staff,
    }


def _bot(bot: Any) -> dict[str, Any]:
    fields = (
        "name",
        "former_name",
        "kind",
        "state",
        "state_reason",
        "notes",
        "notes_hidden",
        "allow_tests",
        "created_at",
    )
    active = bot.active_version
    return {name: getattr(bot, name) for name in fields} | {"plays_with": active.number if active else None}


def _version(version: Version) -> dict[str, Any]:
    fields = (
        "number",
        "sha256",
        "url",
        "label",
        "state",
        "check_code",
        "created_at",
        "checked_at",
        "check_report",
    )
    return {name: getattr(version, name) for name in fields}


def _token(scope: Any) -> dict[str, Any]:
    return {
        "name": scope.name,
        "scopes": scope.scopes,
        "begins_with": scope.token.token_key,
        "made_at": scope.token.created,
    }


def _webhook(user: User) -> dict[str, Any] | None:
    found = Webhook.objects.filter(user=user).first()
    if found is None:
        return None
    sent = found.events.values("event_id", "kind", "body", "state", "attempts", "answer", "created_at")
    return {"url": found.url, "created_at": found.created_at, "events": list(sent)}


def _complaint(complaint: Complaint) -> dict[str, Any]:
    fields = ("about", "reason", "state", "created_at", "settled_at")
    return {"bot": complaint.bot.name} | {name: getattr(complaint, name) for name in fields}
