"""Signatures of HTTP requests, as Standard Webhooks describes them (protocol.md section 1).

``webhook-signature: v1,BASE64(HMAC-SHA256(secret, id.timestamp.body))``; a secret is ``whsec_`` + base64 of
its bytes. While a secret is being rotated two are valid and the header carries a signature of each, separated
by a space.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets as random_bytes
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PREFIX: Final = "whsec_"
SECRET_BYTES: Final = 32
TOLERANCE_S: Final = 300
"""How far a request's timestamp may be from the receiver's clock."""


class BadSignature(Exception):  # noqa: N818 - what it is
    """The request is not signed by any of the secrets, or is too old."""


def new_secret() -> str:
    """A fresh secret, to be shown once."""
    return PREFIX + base64.b64encode(random_bytes.token_bytes(SECRET_BYTES)).decode()


def secret_key(secret: str) -> bytes:
    """The key bytes of a ``whsec_`` secret; ValueError if it is none."""
    if not secret.startswith(PREFIX):
        raise ValueError(f"a signing secret starts with {PREFIX}")
    try:
        return base64.b64decode(secret[len(PREFIX) :], validate=True)
    except binascii.Error:
        raise ValueError("the signing secret is not base64") from None


def signature(key: bytes, message_id: str, timestamp: int, body: bytes) -> str:
    """One ``v1,...`` signature of a request under ``key``."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def headers(secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three signed headers of a request; ``timestamp`` in whole seconds."""
    signatures = [signature(secret_key(secret), message_id, timestamp, body) for secret in secrets]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
    }


def verify(
    secrets: Sequence[str],
    received: Mapping[str, str],
    body: bytes,
    *,
    now: float,
    tolerance_s: int = TOLERANCE_S,
) -> None:
    """Check a received request (header names in lower case) or raise :class:`BadSignature`."""
    message_id, stamp = received.get("webhook-id", ""), received.get("webhook-timestamp", "")
    given = received.get("webhook-signature", "").split()
    if not message_id or not stamp.isascii() or not stamp.isdecimal() or len(stamp) > 12:
        raise BadSignature("webhook-id or webhook-timestamp is missing or malformed")
    if abs(now - int(stamp)) > tolerance_s:
        raise BadSignature("the timestamp is too far from now")
    expected = [signature(secret_key(secret), message_id, int(stamp), body) for secret in secrets]
    good = [hmac.compare_digest(want.encode(), got.encode()) for want in expected for got in given]
    if not any(good):
        raise BadSignature("no signature matches")
