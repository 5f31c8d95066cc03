"""``manage.py check --deploy``: whether uploaded bots can be played safely here (sandbox.md section 2)."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's name

from botapi.errors import PlatformError
from botapi.sandbox import places
from games import workers


def check_sandbox(**_: Any) -> list[CheckMessage]:
    """An Error with each backend's reason where a canary finds no safe sandbox, a Warning without packages."""
    try:
        environment = workers.sandbox()[1]
    except (PlatformError, OSError) as error:
        return [Error(str(error), id="games.E001", hint="Workers on this machine will not play matches.")]
    if environment.get("reason") and settings.SANDBOX_PACKAGES != places.OFF:
        told = f"Bots have the standard library alone: {environment['reason']}."
        return [Warning(told, id="games.W001", hint="Run python -m botapi.sandbox.packages.build.")]
    return []
