"""The worker's side of a match host: claims matches, hands over jobs, renews leases, stores results.

One :class:`Dispatcher` lives in one process of a Celery worker for as long as there is something to play.
What the host says is never trusted to be timely: the lease and the attempt in PostgreSQL decide whose result
counts.
"""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError, connection

from botapi import faults
from botapi.errors import PlatformError
from games import job_making, journal, queue, results, watching, workers
from games.attending import LOOK_S, Attending
from games.host_process import HostLost, HostProcess, NoSandbox
from games.queue import Claim

logger = logging.getLogger(__name__)

T = TypeVar("T")

WAITING_JOBS: Final = 128
"""Matches that one host of the queue ``waiting`` plays at a time."""
HOST_AGE_S: Final = 3600
"""An older host takes no more jobs: its successor's canary looks at the sandbox again (sandbox.md 2)."""
POLL_S: Final = 1.0
RENEW_S: Final = 3.0
"""A lease is renewed at most so often: progress comes faster than it matters."""
DATABASE_PAUSES_S: Final = (0.2, 0.5, 1, 2, 4, 8, 8, 8)
"""Waits between tries while PostgreSQL is away."""
CHECK_LEASE_S: Final = 90
"""A check tells no progress; it stops by itself after 45 s, and each question has its limit."""


@dataclass(slots=True)
class _Table:
    """A claimed match in the host; ``renewed`` and ``lease_until`` are on this process's monotonic clock.

    ``secrets``, by seat, sign the requests of endpoints where the host must not hold them.
    """

    claim: Claim
    host: HostProcess
    began: float
    renewed: float
    lease_until: float
    secrets: dict[int, list[str]]


class Dispatcher:
    """Plays matches of one queue. ``worker`` is its name in claims; ``draining``: begin nothing more."""

    def __init__(self, queue_name: str, worker: str, *, draining: Callable[[], bool] = lambda: False) -> None:
        self._queue = queue_name
        self._worker = worker
        self._draining = draining
        self._capacity = WAITING_JOBS if queue_name == queue.WAITING else 1
        self._hosts: dict[bool, HostProcess] = {}
        self._directories: dict[int, Path] = {}
        self._tables: dict[tuple[str, int], _Table] = {}
        self._people = Attending()
        self._looked = 0, 0.0
        """How many were played when the queue was last asked for more, and when that was (monotonic)."""

    def run(self, match_id: int | None = None) -> int:
        """Play ``match_id`` if it is due, then whatever else is, until nothing is left; how many were begun.

        Raises NoSandbox, having claimed nothing, when this machine has no safe sandbox.
        """
        begun = 0
        try:
            with self._hosts_closed():
                while True:
                    if self._time_to_look():
                        begun += self._take_matches(match_id)
                        match_id = None
                        self._looked = len(self._tables), time.monotonic()
                    if self._draining():
                        self._give_back_people()
                    if not self._tables:
                        return begun
                    self._listen()
                    self._attend_people()
        finally:
            connection.close()

    # --- Beginning matches --------------------------------------------------------------------------------

    def _time_to_look(self) -> bool:
        """After a match has ended, else once a second: hosts say more than the queue needs to be asked."""
        playing, when = self._looked
        return len(self._tables) < playing or not playing or time.monotonic() - when > POLL_S

    def _take_matches(self, wanted: int | None) -> int:
        """Claim and hand over matches up to the capacity."""
        begun = 0
        while len(self._tables) < self._room() and not self._draining() and self._anything_due():
            host = self._host(
                mixed=False
            )  # before the claim: where nothing can be played the queue is left alone
            claim = self._claim(wanted)
            wanted = None
            if claim is None:
                return begun
            begun += self._begin(claim, host)
        return begun

    def _room(self) -> int:
        """How many matches may be played at a time; one that wants a slot of its own shares it with none."""
        return 1 if any(table.claim.alone for table in self._tables.values()) else self._capacity

    def _anything_due(self) -> bool:
        """A doubled or late wake-up is not worth starting a host."""
        return with_database(lambda: queue.anything_due(self._queue))

    def _claim(self, wanted: int | None) -> Claim | None:
        """The match ``wanted`` if it is this queue's, else the next one."""
        claim = None
        if wanted is not None and with_database(lambda: queue.due(self._queue).filter(pk=wanted).exists()):
            claim = with_database(lambda: queue.claim(wanted, self._worker))
        return claim or with_database(
            lambda: queue.next_due(self._queue, self._worker, busy=bool(self._tables))
        )

    def _begin(self, claim: Claim, host: HostProcess) -> int:
        match = claim.match
        try:
            job = with_database(lambda: job_making.make_job(claim))
            secrets = job_making.keep_secrets(job) if job_making.is_mixed(job) else {}
            host = self._host(mixed=True) if secrets else host
            first_lease = self._first_lease(job)
            with_database(lambda: queue.renew(match.pk, claim.attempt, seconds=first_lease))
            if any(seat["kind"] == "sandbox" for seat in job["seats"]):
                told = host.environment
                with_database(lambda: queue.note_environment(match.pk, claim.attempt, told))
            host.send(job)
        except Exception as error:  # one match must not take the others of this worker with it
            logger.exception("match %s attempt %s did not begin", match.pk, claim.attempt)
            why = (
                str(error)
                if isinstance(error, PlatformError)
                else f"it did not begin: {type(error).__name__}"
            )
            self._lose(match.pk, claim.attempt, why)
            return 0
        now = time.monotonic()
        self._tables[str(match.pk), claim.attempt] = _Table(claim, host, now, now, now + first_lease, secrets)
        if match.people:
            self._people.begin((match.pk, claim.attempt), host, job)
        return 1

    @staticmethod
    def _first_lease(job: dict[str, Any]) -> float:
        """Until the first progress: all seats start side by side, then the first question is open."""
        if job["job"] == "check":
            return CHECK_LEASE_S + queue.lease_s(job["clocks"]["hard_ms"])
        return queue.lease_s(job["clocks"]["start_ms"])

    # --- Hosts --------------------------------------------------------------------------------------------

    def _host(self, *, mixed: bool) -> HostProcess:
        """The host for matches with both sandboxed and HTTP seats, or for all others.

        A host that plays sandboxed bots never sees an endpoint's secret: at a mixed table the worker signs, and
        the queue ``cpu``, where all other sandboxed bots play, has no match with an endpoint.
        """
        host = self._hosts.get(mixed)
        busy = any(table.host is host for table in self._tables.values())
        if host is not None and (busy or (host.alive() and time.monotonic() - host.started < HOST_AGE_S)):
            return host
        if host is not None:
            self._close(host)
        host = self._start_host()
        self._hosts[mixed] = host
        return host

    def _start_host(self) -> HostProcess:
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

    def _close(self, host: HostProcess) -> None:
        self._hosts = {mixed: other for mixed, other in self._hosts.items() if other is not host}
        host.close()
        shutil.rmtree(self._directories.pop(host.pid), ignore_errors=True)

    @contextmanager
    def _hosts_closed(self) -> Iterator[None]:
        """Whatever happens, no host is left behind, and what it played is queued again at once."""
        try:
            yield
        except (OperationalError, InterfaceError):
            raise  # without PostgreSQL nothing can be written down: the leases run out by themselves
        except Exception as error:
            for table in self._tables.values():
                cause = f"the worker stopped: {type(error).__name__}"
                self._lose(table.claim.match.pk, table.claim.attempt, cause)
            raise
        except BaseException:  # told to end before its matches were over
            for table in self._tables.values():
                self._give_back(table.claim)
            raise
        finally:
            for host in list(self._hosts.values()):
                self._close(host)

    # --- What hosts say -----------------------------------------------------------------------------------

    def _listen(self) -> None:
        """Take what the hosts have to say, and give up matches whose lease ran out without progress."""
        busy = {id(table.host): table.host for table in self._tables.values()}
        wait_s = LOOK_S if self._people else POLL_S
        for host in busy.values():
            try:
                for event in host.events(wait_s / len(busy)):
                    self._take(event)
            except HostLost as error:
                self._lose_all(host, str(error))
        self._end_overdue()

    def _take(self, event: dict[str, Any]) -> None:
        if event["type"] == "error":
            logger.error("the match host: %s", event["reason"])
            return
        key = (event["match"], event["attempt"])
        table = self._tables.get(key)
        if table is None:
            return
        if event["type"] == "sign":
            self._sign(table, event)
        elif event["type"] == "progress":
            self._renew(table, event)
        elif event["type"] in ("acted", "question"):
            self._keep(table, event)
        elif event["type"] == "live":
            watching.show(table.claim.match, event["state"])
        elif event["type"] in _ENDINGS:
            self._forget(table)
            self._store(table, event)

    def _forget(self, table: _Table) -> None:
        """The match is over for this worker, whatever becomes of it."""
        match_id, attempt = table.claim.match.pk, table.claim.attempt
        del self._tables[str(match_id), attempt]
        self._people.end((match_id, attempt))

    # --- People -------------------------------------------------------------------------------------------

    def _keep(self, table: _Table, event: dict[str, Any]) -> None:
        """Store what happened at a table with people, or a question to one of them; then the match may go on."""
        match_id, attempt = table.claim.match.pk, table.claim.attempt
        write = journal.store if event["type"] == "acted" else journal.ask
        try:
            own = with_database(lambda: write(match_id, attempt, event))
        except Exception as error:  # one match must not take the others of this worker with it
            logger.exception("match %s attempt %s: a decision was not stored", match_id, attempt)
            self._lose(match_id, attempt, f"a decision was not stored: {type(error).__name__}")
            own = False
        if not own:
            self._abandon(table)
        elif event["type"] == "question":
            self._people.asked((match_id, attempt), event["seat"], event["number"])
        else:
            if event.get("how") == faults.TIMEOUT and event["bank_ms"] is not None:
                self._people.late((match_id, attempt), event["seat"])
            self._people.send((match_id, attempt), {"type": "stored", "number": event["number"]})

    def _attend_people(self) -> None:
        """Carry answers to the hosts, and the time in which nobody could give one back to the clocks."""
        looked = self._people.look()
        for match_id, attempt in looked.gone:
            self._abandon(self._tables[str(match_id), attempt])
        for match_id, attempt in self._people.tables if looked.blind_s else ():
            self._stand_still(self._tables[str(match_id), attempt], looked.blind_s)

    def _stand_still(self, table: _Table, seconds: float) -> None:
        match_id, attempt, ms = table.claim.match.pk, table.claim.attempt, int(seconds * 1000)
        table.lease_until += seconds
        lease_s = max(queue.lease_s(0), table.lease_until - time.monotonic())
        with_database(lambda: journal.stood_still(match_id, attempt, ms=ms, lease_s=lease_s))
        self._people.send((match_id, attempt), {"type": "stood", "ms": ms})

    def _give_back_people(self) -> None:
        """A worker that is told to end does not wait for people: another goes on from the journal."""
        for match_id, attempt in self._people.tables:
            table = self._tables[str(match_id), attempt]
            self._give_back(table.claim)
            self._abandon(table)

    def _sign(self, table: _Table, event: dict[str, Any]) -> None:
        """Sign a request of the match; one that is not its own costs this match alone, and no signature is given."""
        try:
            signed = job_making.sign(event, table.secrets, now=time.time())
        except (
            Exception
        ) as error:  # whatever a host may ask for, it must not take other hosts' matches with it
            logger.exception("match %s attempt %s: nothing was signed", event["match"], event["attempt"])
            why = str(error) if isinstance(error, PlatformError) else type(error).__name__
            self._lose(table.claim.match.pk, table.claim.attempt, why)
            self._abandon(table)
        else:
            table.host.send(signed)

    def _renew(self, table: _Table, event: dict[str, Any]) -> None:
        now = time.monotonic()
        seconds = queue.lease_s(event["open_ms"])
        lengthened = now + seconds - table.lease_until
        if now - table.renewed < RENEW_S and lengthened < RENEW_S:
            return
        table.renewed, table.lease_until = now, now + seconds
        claim = table.claim
        try:
            own = queue.renew(claim.match.pk, claim.attempt, seconds=seconds, deal=event["deal"])
        except (OperationalError, InterfaceError) as error:
            connection.close()  # it may be back before the lease is over; if not, the lease decides
            logger.warning("match %s: no lease renewed: %s", claim.match.pk, error)
            return
        if not own:
            self._abandon(table)

    def _abandon(self, table: _Table) -> None:
        """The match is no longer ours: a host that plays nothing else ends, another drops it."""
        match_id, attempt = table.claim.match.pk, table.claim.attempt
        self._forget(table)
        logger.warning("match %s attempt %s was taken away", match_id, attempt)
        if any(other.host is table.host for other in self._tables.values()):
            with suppress(HostLost):  # who listens to it finds out
                table.host.send({"type": "drop", "match": str(match_id), "attempt": attempt})
        else:
            self._close(table.host)

    def _end_overdue(self) -> None:
        """A host without progress in a match is not believed to be alive: all it plays is queued again.

        What such a host has said is heard first: this worker may have waited for its database all the while.
        """
        for host in {id(table.host): table.host for table in self._overdue()}.values():
            self._hear_out(host)
            if any(table.host is host for table in self._overdue()):
                self._lose_all(host, "no progress before the lease ran out")

    def _overdue(self) -> list[_Table]:
        now = time.monotonic()
        return [table for table in self._tables.values() if table.lease_until < now]

    def _hear_out(self, host: HostProcess) -> None:
        """Take all that ``host`` has said so far, or as much as shows that none of its matches is overdue."""
        try:
            while any(table.host is host for table in self._overdue()):
                events = host.events(0)
                if not events and not host.has_more():
                    return
                for event in events:
                    self._take(event)
        except HostLost as error:
            self._lose_all(host, str(error))

    def _lose_all(self, host: HostProcess, cause: str) -> None:
        for table in [table for table in self._tables.values() if table.host is host]:
            self._forget(table)
            self._lose(table.claim.match.pk, table.claim.attempt, cause)
        self._close(host)

    # --- Results ------------------------------------------------------------------------------------------

    def _store(self, table: _Table, event: dict[str, Any]) -> None:
        match_id, attempt = table.claim.match.pk, table.claim.attempt
        try:
            own = with_database(lambda: _ENDINGS[event["type"]](match_id, attempt, event, table.began))
        except Exception as error:  # one match must not take the others of this worker with it
            logger.exception("match %s attempt %s: the result was not stored", match_id, attempt)
            why = str(error) if isinstance(error, PlatformError) else type(error).__name__
            self._lose(match_id, attempt, f"the result was not stored: {why}")
            return
        if not own:
            logger.warning("match %s attempt %s: a late report was refused", match_id, attempt)

    def _lose(self, match_id: int, attempt: int, cause: str) -> None:
        try:
            with_database(lambda: results.infra_lost(match_id, attempt, cause))
        except DatabaseError:
            logger.exception("match %s attempt %s is left to the watchdog", match_id, attempt)

    def _give_back(self, claim: Claim) -> None:
        match_id, attempt = claim.match.pk, claim.attempt
        try:
            with_database(lambda: results.give_back(match_id, attempt, "its worker was told to end"))
        except DatabaseError:
            logger.exception("match %s attempt %s is left to the watchdog", match_id, attempt)


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


def _finished(match_id: int, attempt: int, event: dict[str, Any], _began: float) -> bool:
    result = results.Result(
        record=event["record"],
        faults=event["faults"],
        logs=event["logs"],
        timings=event.get("timings", {}),
        seconds=event["seconds"],
        decisions=event["decisions"],
    )
    return results.finish(match_id, attempt, result)


def _refused(match_id: int, attempt: int, event: dict[str, Any], _began: float) -> bool:
    return results.refused(
        match_id,
        attempt,
        seat=event["seat"],
        code=event["code"],
        message=event["message"],
        stderr=event.get("stderr", ""),
    )


def _checked(match_id: int, attempt: int, event: dict[str, Any], began: float) -> bool:
    return results.finish_check(match_id, attempt, event["report"], time.monotonic() - began)


def _failed(match_id: int, attempt: int, event: dict[str, Any], _began: float) -> bool:
    return results.infra_lost(match_id, attempt, event["reason"])


_ENDINGS: Final[dict[str, Callable[[int, int, dict[str, Any], float], bool]]] = {
    "finished": _finished,
    "refused": _refused,
    "checked": _checked,
    "failed": _failed,
}
