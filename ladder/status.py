"""How the service is: queues, workers, delays. What the page of that name and its API twin show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from botapi.models import Version
from games import delays, queries, queue
from games.models import Match

SEEN_WITHIN: Final = timedelta(seconds=60)
FAILED_WITHIN: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class QueueLine:
    """One queue: matches that wait and are played, ended in the last hour, workers there, and what is amiss.

    ``waiting`` counts up to a thousand. ``problem`` is a sentence, empty while somebody plays.
    """

    name: str
    waiting: int
    running: int
    an_hour: int
    workers: int
    problem: str

    @property
    def plays_endpoints(self) -> bool:
        """Whether it is the queue of matches with somebody outside: HTTP bots or people."""
        return self.name == queue.WAITING


@dataclass(frozen=True, slots=True)
class Status:
    """The service at one moment; ``late`` are matches that should have begun, the longest wait first."""

    at: datetime
    queues: tuple[QueueLine, ...]
    checks: int
    failed: int
    late: tuple[delays.Waiting, ...]

    @property
    def well(self) -> bool:
        """Whether every queue is played and nothing is late."""
        return not self.late and not any(line.problem for line in self.queues)


def status(now: datetime) -> Status:
    """How the service is at ``now``; as many queries however much waits."""
    workers = queries.workers_since(now - SEEN_WITHIN)
    running = Match.objects.filter(state=Match.State.RUNNING).values_list("waiting", flat=True)
    playing = [queue.queue_name(waiting=slow) for slow in running[:1000]]
    late = sorted((wait for wait in delays.waiting(now) if wait.late), key=lambda wait: wait.due_at)
    unchecked = (Version.State.PENDING, Version.State.CHECKING)
    return Status(
        at=now,
        queues=tuple(_line(lane, playing, workers) for lane in delays.lanes(now)),
        checks=Version.objects.filter(state__in=unchecked).count(),
        failed=queries.failed_since(now - FAILED_WITHIN),
        late=tuple(late),
    )


def _line(lane: delays.Lane, playing: Sequence[str], workers: Sequence[dict[str, Any]]) -> QueueLine:
    return QueueLine(
        name=lane.name,
        waiting=len(lane.order),
        running=playing.count(lane.name),
        an_hour=lane.an_hour,
        workers=sum(lane.name in worker["queue"].split(",") for worker in workers),
        problem=lane.problem,
    )
