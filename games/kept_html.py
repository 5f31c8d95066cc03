"""Parts of pages that follow from a stored record alone: laid out once a process and language, then kept for an hour.

A replay of forty deals takes some 200 ms to lay out and is the same for everybody; compressed it is a twentieth. What is
kept is found by the record's digest, so whoever may not see the record has to be turned away before.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Final

from django.core.cache import caches
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

KEPT_FOR_S: Final = 3600


def kept(part: str, sha256: str, made: Callable[[], str]) -> SafeString:
    """The ``part`` of the record with this digest in the active language; ``made`` lays it out when it is not there."""
    key = f"{part}-{get_language()}-{sha256}"
    packed: bytes | None = caches["replays"].get(key)
    if packed is None:
        packed = zlib.compress(made().encode(), level=3)
        caches["replays"].set(key, packed, KEPT_FOR_S)
    return mark_safe(zlib.decompress(packed).decode())  # noqa: S308 - a template wrote it
