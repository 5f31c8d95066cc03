"""Secrets at rest: encrypted with Fernet under a key made from the setting SECRETS_KEY.

SECRETS_KEY may hold several keys, separated by commas: the first encrypts, all of them decrypt, so that a key
can be changed.
"""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from botapi.errors import PlatformError


def _fernet() -> MultiFernet:
    keys = [key.strip() for key in settings.SECRETS_KEY.split(",") if key.strip()]
    return MultiFernet(
        [Fernet(base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest())) for key in keys]
    )


def encrypt(secret: str) -> bytes:
    """The ciphertext of ``secret``."""
    return _fernet().encrypt(secret.encode())


def decrypt(ciphertext: bytes | memoryview) -> str:
    """The secret again; :class:`PlatformError` if no key of SECRETS_KEY opens it."""
    try:
        return _fernet().decrypt(bytes(ciphertext)).decode()
    except InvalidToken:
        raise PlatformError("a stored secret does not open with SECRETS_KEY: was the key changed?") from None
