"""What a server process has loaded and keeps is looked through once: later collections of garbage leave it alone.

A full collection walks over every object, a fifth of a second in a process with all of Django, and stops the request
that set it off. What is loaded before the first request stays to the end.
"""

from __future__ import annotations

import gc

from django.urls import get_resolver


def settle() -> None:
    """Load what requests would, then take all that is there out of later collections."""
    assert get_resolver().url_patterns
    gc.collect()
    gc.freeze()
