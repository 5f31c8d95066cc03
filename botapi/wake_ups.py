"""Wake-ups: telling a worker that there is something to do.

What is to be done stands in PostgreSQL, and beat looks there as well: a wake-up may be lost, doubled or late.
"""

from __future__ import annotations

from typing import Any, Final

from celery import current_app
from django.db import transaction

EXPIRES_S: Final = 60
BROKER_TIMEOUTS: Final = {"socket_connect_timeout": 2, "socket_timeout": 2, "max_retries": 0}
"""A broker that is away must not hold up who has something to do."""


def send(task: str, *args: Any, queue: str | None = None) -> None:
    """Have ``task`` run with these arguments, by a worker of ``queue`` (by default the usual one).

    Tried once and not for long; raises what the broker's library raises when it is away.
    """
    with current_app.connection_for_write(transport_options=BROKER_TIMEOUTS) as broker:
        current_app.send_task(task, args=args, queue=queue, connection=broker, retry=False, expires=EXPIRES_S)


def send_after_commit(task: str) -> None:
    """Send it once what it is to find is stored; a broker that is away then costs seconds and is no error."""

    def wake() -> None:  # no partial: Django tells the name of what failed
        send(task)

    transaction.on_commit(wake, robust=True)
