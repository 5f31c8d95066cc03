"""What a worker says of itself: its row, its sandbox and a match of its own at the start and every hour, its refusal."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import F
from django.utils import timezone

from botapi.errors import PlatformError
from games import alarms, canary, processes, results
from games.host_process import HostProcess, NoSandbox
from games.job_making import host_directory, remove_orphaned_directories, remove_unused_bots
from games.models import Match, MatchAttempt, Worker

logger = logging.getLogger(__name__)

EXIT_REFUSED: Final = 78
MESSAGE_CHARS: Final = 600
TEND_S: Final = 5
LOOK_AGAIN_S: Final = 3600
"""How often a worker's canary looks at its sandbox (sandbox.md section 2)."""
LOOK_SOONER_S: Final = 60
"""The same once it has found none that is safe."""


class Flag(Protocol):
    """A value that processes share."""

    value: int


def report(
    name: str,
    queue: str,
    *,
    backend: str = "",
    message: str = "",
    environment: Mapping[str, Any] | None = None,
) -> None:
    """Write down that the worker ``name`` is there; a ``message`` says why it cannot play.

    ``environment`` is what its sandboxed bots run on (``Runtime.told``).
    """
    Worker.objects.update_or_create(
        name=name,
        defaults={
            "queue": queue,
            "backend": backend,
            "healthy": not message,
            "message": message[:MESSAGE_CHARS],
            "environment": environment or {},
            "seen_at": timezone.now(),
        },
    )


def seen(name: str) -> None:
    """The worker is still there."""
    Worker.objects.filter(name=name).update(seen_at=timezone.now())


def sandbox() -> tuple[str, dict[str, Any]]:
    """The sandbox backend of this machine and what bots run on in it (``Runtime.told``).

    Found by a canary in a host of its own, which then plays a match. Raises NoSandbox, CanaryFailed.
    """
    directory = host_directory()
    try:
        host = HostProcess(directory)
        try:
            canary.play(host)
        finally:
            host.close()
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return host.backend, host.environment


def look(name: str, played: str) -> str:
    """Run the canary and write down what it found; the reason why nothing may be played, empty when it may.

    The queue is left alone whatever comes of it.
    """
    try:
        refuse_root()
        backend, environment = sandbox()
    except (PlatformError, OSError) as error:
        told = isinstance(error, NoSandbox | canary.CanaryFailed)
        reason = str(error) if told else f"The match host does not start: {error}"
        report(name, played, message=reason)
        return reason
    report(name, played, backend=backend, environment=environment)
    return ""


def refuse_root() -> None:
    """In production no worker is root (sandbox.md section 1). Raises NoSandbox."""
    if os.geteuid() == 0 and not settings.DEBUG:
        raise NoSandbox("A worker that plays must not be root: start it as a user of its own.")


def begin(name: str, queues: Iterable[str]) -> None:
    """A worker that plays starts: it looks at its sandbox first and exits with status 78 without one."""
    played = ",".join(sorted(queues))
    reason = look(name, played)
    if reason:
        print(reason, file=sys.stderr, flush=True)
        raise SystemExit(EXIT_REFUSED)
    if not settings.SANDBOX_REQUIRE_CGROUP:
        print(
            "Control groups are switched off (SANDBOX_REQUIRE_CGROUP=0): rlimits alone bound the bots.",
            file=sys.stderr,
            flush=True,
        )
    lacking = Worker.objects.get(name=name).environment.get("reason")
    if lacking:
        print(f"Bots have the standard library alone: {lacking}.", file=sys.stderr, flush=True)
    remove_orphaned_directories()
    remove_unused_bots()
    end_attempts_of_lost_processes()


@dataclass(slots=True)
class Tending:
    """What a worker that plays does between its tasks, every TEND_S: say that it is there, look again.

    ``unsafe`` is shared with its pool: while it is set nothing is begun, and the look is repeated sooner.
    Once ``draining`` is set nothing is begun any more: then it does not look.
    """

    name: str
    played: str
    unsafe: Flag
    draining: Flag
    looked: float = field(default_factory=time.monotonic)

    def tend(self) -> None:
        """One round. A database that is away is tried again in the next."""
        try:
            seen(self.name)
            end_attempts_of_lost_processes()
            red = self.unsafe.value or Worker.objects.filter(name=self.name, healthy=False).exists()
            due = self.looked + (LOOK_SOONER_S if red else LOOK_AGAIN_S)
            if time.monotonic() >= due and not self.draining.value:
                _forget_connection()  # its threads must not be there when a host is forked off
                self._look_again()
        except DatabaseError as error:
            logger.warning("the worker's row could not be written: %s", error)
        finally:
            _forget_connection()

    def _look_again(self) -> None:
        self.looked = time.monotonic()
        reason = look(self.name, self.played)
        if reason:
            alarms.alarm(f"worker {self.name} plays nothing", reason)
        self.unsafe.value = int(bool(reason))
        if not reason:
            remove_unused_bots()


def _forget_connection() -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's; a pool must not be forked


def end_attempts_of_lost_processes() -> int:
    """Queue again what processes of this machine played that are gone: their hosts died with them. How many.

    A process that was killed may have been killed by the match, so it counts as a lost attempt. What another
    machine plays is left to its lease.
    """
    attempts = MatchAttempt.objects.filter(
        match__state=Match.State.RUNNING,
        number=F("match__attempt"),
        process__startswith=f"{processes.machine()}-",
    )
    return sum(
        results.infra_lost(match, number, "its worker was lost: the process is gone")
        for match, number, process in attempts.values_list("match_id", "number", "process")
        if processes.is_gone(process)
    )
