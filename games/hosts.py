"""The match hosts of one worker: started when they are needed, followed by a new one when they are old, closed."""

from __future__ import annotations

import shutil
import time
from collections.abc import Container
from pathlib import Path
from typing import Final

from games import job_making, workers
from games.host_process import HostProcess, NoSandbox
from games.outages import with_database

HOST_AGE_S: Final = 3600
"""An older host takes no more jobs: its successor's canary looks at the sandbox again (sandbox.md 2)."""


class Hosts:
    """One host for matches with both sandboxed and HTTP seats, another for all others.

    A host that plays sandboxed bots never sees an endpoint's secret: at a mixed table the worker signs, and the
    queue ``cpu``, where all other sandboxed bots play, has no match with an endpoint.
    """

    def __init__(self, queue_name: str, worker: str) -> None:
        self._queue = queue_name
        self._worker = worker
        self._running: dict[bool, HostProcess] = {}
        self._directories: dict[int, Path] = {}

    def ready(self, *, mixed: bool, busy: Container[HostProcess]) -> HostProcess:
        """The host that takes the next job; one of ``busy`` is neither looked at nor followed by another.

        Raises NoSandbox when this machine has no safe sandbox.
        """
        host = self._running.get(mixed)
        if host is not None and (
            host in busy or (host.alive() and time.monotonic() - host.started < HOST_AGE_S)
        ):
            return host
        if host is not None:
            self.close(host)
        host = self._running[mixed] = self._start()
        return host

    def close(self, host: HostProcess) -> None:
        """End it with all that it plays."""
        self._running = {mixed: other for mixed, other in self._running.items() if other is not host}
        host.close()
        shutil.rmtree(self._directories.pop(host.pid), ignore_errors=True)

    def close_all(self) -> None:
        """End every one."""
        for host in list(self._running.values()):
            self.close(host)

    def _start(self) -> HostProcess:
        directory = job_making.host_directory()
        try:
            host = HostProcess(directory)
        except NoSandbox as error:
            reason = str(error)
            with_database(lambda: workers.report(self._worker, self._queue, message=reason))
            raise
        self._directories[host.pid] = directory
        with_database(
            lambda: workers.report(
                self._worker, self._queue, backend=host.backend, environment=host.environment
            )
        )
        return host
