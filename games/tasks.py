"""Celery tasks: wake-ups for what stands in PostgreSQL. A lost or doubled one never costs a match."""

from __future__ import annotations

import logging
from multiprocessing.sharedctypes import RawValue
from typing import Any, Final

from celery import Task, shared_task
from celery.signals import celeryd_after_setup, worker_ready, worker_shutting_down
from django.db import connection

from games import check_queue, queue, watchdog, workers
from games.dispatch import Dispatcher
from games.host_process import NoSandbox

logger = logging.getLogger(__name__)

_draining: Final = RawValue("b", 0)
"""Shared with the pool's processes by fork: set once the worker was told to end."""
_unsafe: Final = RawValue("b", 0)
"""Shared likewise: set while the worker's canary finds no safe sandbox."""


@shared_task(name="games.play_cpu", bind=True)
def play_cpu(self: Task[Any, Any], match_id: int | None = None) -> None:
    """Play matches of sandboxed and house bots, beginning with ``match_id``, until none is due."""
    _play(self, queue.CPU, match_id)


@shared_task(name="games.play_waiting", bind=True)
def play_waiting(self: Task[Any, Any], match_id: int | None = None) -> None:
    """Play matches with endpoints, many at a time, beginning with ``match_id``, until none is due."""
    _play(self, queue.WAITING, match_id)


@shared_task(name="games.queue_checks")
def queue_checks() -> None:
    """Queue the checks of versions that were submitted."""
    check_queue.queue_checks()


@shared_task(name="games.watchdog", bind=True)
def watch(self: Task[Any, Any]) -> None:
    """Queue again what was lost, wake what was forgotten, delete old private logs."""
    workers.seen(str(self.request.hostname))
    watchdog.watch()


def _play(task: Task[Any, Any], queue_name: str, match_id: int | None) -> None:
    name = str(task.request.hostname or "local")
    dispatcher = Dispatcher(queue_name, name, draining=lambda: bool(_draining.value or _unsafe.value))
    try:
        dispatcher.run(match_id)
    except NoSandbox as error:
        logger.critical("%s", error)


@celeryd_after_setup.connect
def _look_at_the_sandbox(sender: str, instance: Any, **_: object) -> None:
    """A worker that would play does not start where no sandbox is safe (exit status 78)."""
    played = set(queue.QUEUES) & set(instance.app.amqp.queues.consume_from)
    if played:
        workers.begin(sender, played)
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's; a pool must not be forked


@worker_ready.connect
def _tend(sender: Any, **_: object) -> None:
    """From now on, between other things: see :class:`workers.Tending`.

    In the worker's own process, which waits for the canary: meanwhile it takes no task, and its pool plays on.
    """
    played = set(queue.QUEUES) & set(sender.app.amqp.queues.consume_from)
    if played:
        tending = workers.Tending(sender.hostname, ",".join(sorted(played)), _unsafe, _draining)
        sender.timer.call_repeatedly(workers.TEND_S, tending.tend)


@worker_shutting_down.connect
def _drain(**_: object) -> None:
    """Told to end: play out what has begun, begin nothing more."""
    _draining.value = 1
