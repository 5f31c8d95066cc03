"""What a worker says of itself: its row, its sandbox at the start, its refusal (sandbox.md section 2)."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.conf import settings
from django.utils import timezone

from botapi.errors import PlatformError
from games import results
from games.host_process import HostProcess, NoSandbox
from games.job_making import host_directory, remove_orphaned_directories
from games.models import Match, Worker

EXIT_REFUSED: Final = 78
MESSAGE_CHARS: Final = 600


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

    Found by a canary in a host of its own. Raises NoSandbox.
    """
    directory = host_directory()
    try:
        host = HostProcess(directory)
        host.close()
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return host.backend, host.environment


def begin(name: str, queues: Iterable[str]) -> None:
    """A worker that plays starts: it looks at its sandbox first and exits with status 78 without one."""
    played = ",".join(sorted(queues))
    try:
        backend, environment = sandbox()
    except NoSandbox as error:
        report(name, played, message=str(error))
        print(error, file=sys.stderr, flush=True)
        raise SystemExit(EXIT_REFUSED) from error
    except PlatformError as error:
        report(name, played, message=str(error))
        print(f"The match host does not start: {error}", file=sys.stderr, flush=True)
        raise SystemExit(EXIT_REFUSED) from error
    if not settings.SANDBOX_REQUIRE_CGROUP:
        print(
            "No control groups (SANDBOX_REQUIRE_CGROUP=0): rlimits bound the bots.",
            file=sys.stderr,
            flush=True,
        )
    if environment.get("reason"):
        print(f"Bots have the standard library alone: {environment['reason']}.", file=sys.stderr, flush=True)
    remove_orphaned_directories()
    give_back_matches(name)
    report(name, played, backend=backend, environment=environment)


def give_back_matches(name: str) -> int:
    """Queue again what a worker of this name played before it was lost: its hosts died with it. How many."""
    running = Match.objects.filter(state=Match.State.RUNNING, worker=name).values_list("pk", "attempt")
    return sum(results.infra_lost(match, attempt, "its worker was restarted") for match, attempt in running)
