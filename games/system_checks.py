"""``manage.py check --deploy``: whether uploaded bots can be played safely here (sandbox.md section 2)."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error

from botapi.errors import PlatformError
from games import workers


def check_sandbox(**_: Any) -> list[CheckMessage]:
    """An Error with each backend's reason where a canary finds no safe sandbox."""
    try:
        workers.sandbox_backend()
    except (PlatformError, OSError) as error:
        return [Error(str(error), id="games.E001", hint="Workers on this machine will not play matches.")]
    return []
