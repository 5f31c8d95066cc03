"""What one author may use of the service: the numbers that the pages show and the verbs enforce."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from botapi.foreign_zip import MAX_ZIP

UPLOAD_BYTES: Final = MAX_ZIP + 64 * 1024
"""A whole upload request: the archive and the form around it."""
JSON_BYTES: Final = 256 * 1024
"""A JSON request body."""
TOKENS: Final = 20
"""API tokens of one person."""
RECHECK_AFTER: Final = timedelta(minutes=2)
"""How long a version waits between two checks that its author asks for."""
SECRET_OVERLAP: Final = timedelta(hours=24)
"""How long the previous signing secret stays valid after a rotation."""


@dataclass(frozen=True)
class Limits:
    """Limits of one author; ``storage`` in bytes of canonical archives."""

    bots: int = 10
    versions_a_day: int = 40
    storage: int = 100 * 1024 * 1024


LIMITS: Final = Limits()
