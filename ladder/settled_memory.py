"""What a server process has loaded and keeps is looked through once: later collections of garbage leave it alone.

A full collection walks over every object, a fifth of a second in a process with all of Django, and stops the request
that set it off. What is loaded before the first request stays to the end.
"""

from __future__ import annotations

import gc
from typing import Final

from django.urls import get_resolver

YOUNG: Final = 50_000
"""Objects that are made before the young are looked through: more than a page makes, for most of them are gone with it."""


def settle() -> None:
    """Load what requests would, then take all that is there out of later collections."""
    assert get_resolver().url_patterns
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 20, 20)
