"""PostgreSQL may be away for a while: what has to be written is tried again."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final, TypeVar

from django.db import InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)

T = TypeVar("T")

DATABASE_PAUSES_S: Final = (0.2, 0.5, 1, 2, 4, 8, 8, 8)
"""Waits between tries while PostgreSQL is away."""


def with_database(act: Callable[[], T]) -> T:
    """``act()``, tried again for about half a minute while PostgreSQL is away; it must be safe to repeat."""
    for pause in DATABASE_PAUSES_S:
        try:
            return act()
        except (OperationalError, InterfaceError) as error:
            logger.warning("PostgreSQL is away, trying again: %s", error)
            connection.close()
            time.sleep(pause)
    return act()
