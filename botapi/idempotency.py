"""Idempotency-Key: a request that is sent again gets the answer it got, and does nothing again.

The answer is written in the request's own transaction (stack.md, trap 11), under a lock on the user's row, so
two copies at once give one effect. A refusal is not kept: it changed nothing, and asking again is harmless.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from botapi.bots import lock_author
from botapi.errors import DomainError
from botapi.models import IdempotencyKey, User

MAX_LENGTH = 100


def fingerprint(*parts: str | bytes) -> str:
    """SHA-256 over the parts of a request that make it this one: method, address, content."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def answer_once(
    user: User, *, key: str, request_sha256: str, answer: Callable[[], tuple[int, Any]]
) -> tuple[int, Any, bool]:
    """Status, JSON body, and whether they come from before. Without a key ``answer`` is simply called.

    DomainError: ``bad_idempotency_key`` (400); ``idempotency_key_reused`` (422) for another request under it.
    """
    if not key:
        return *answer(), False
    if len(key) > MAX_LENGTH or not key.isascii() or not key.isprintable():
        raise DomainError(
            "bad_idempotency_key",
            gettext("Idempotency-Key has 1 to %(most)d printable ASCII characters.") % {"most": MAX_LENGTH},
        )
    with transaction.atomic():
        lock_author(user)
        known = IdempotencyKey.objects.filter(user=user, key=key).first()
        if known is not None:
            if known.request_sha256 != request_sha256:
                raise DomainError(
                    "idempotency_key_reused",
                    gettext("This Idempotency-Key was used for another request."),
                    422,
                )
            return known.status, known.body, True
        status, body = answer()
        IdempotencyKey.objects.create(
            user=user, key=key, request_sha256=request_sha256, status=status, body=body
        )
        return status, body, False
