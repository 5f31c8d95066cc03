"""The worker's side of a match host: claims matches, hands over jobs, renews leases, stores results.

One :class:`Dispatcher` lives in one process of a Celery worker for as long as there is something to play.
What the host says is never trusted to be timely: the lease and the attempt in PostgreSQL decide whose result
counts.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from django.db import InterfaceError, OperationalError, connection

from botapi import faults
from botapi.errors import PlatformError
from games import host_reports, job_making, journal, queue, watching
from games.attending import LOOK_S, Attending
from games.claimed import Table, Tables
from games.host_process import HostLost, HostProcess
from games.hosts import Hosts
from games.outages import with_database
from games.queue import Claim

logger = logging.getLogger(__name__)

WAITING_JOBS: Final = 128
"""Matches that one host of the queue ``waiting`` plays at a time."""
POLL_S: Final = 1.0
RENEW_S: Final = 3.0
"""A lease is renewed at most so often: progress comes faster than it matters."""


class Dispatcher:
    """Plays matches of one queue. ``worker`` is its name in claims; ``draining``: begin nothing more."""

    def __init__(self, queue_name: str, worker: str, *, draining: Callable[[], bool] = lambda: False) -> None:
        self._queue = queue_name
        self._worker = worker
        self._draining = draining
        self._capacity = WAITING_JOBS if queue_name == queue.WAITING else 1
        self._hosts = Hosts(queue_name, worker)
        self._tables = Tables()
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
            # The host comes before the claim: where nothing can be played the queue is left alone.
            host = self._host(mixed=False)
            claim = self._claim(wanted)
            wanted = None
            if claim is None:
                return begun
            begun += self._begin(claim, host)
        return begun

    def _room(self) -> int:
        """How many matches may be played at a time; one that wants a slot of its own shares it with none."""
        return 1 if any(table.claim.alone for table in self._tables) else self._capacity

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
            first_lease = job_making.first_lease_s(job)
            with_database(lambda: queue.renew(match.pk, claim.attempt, seconds=first_lease))
            if any(seat["kind"] == "sandbox" for seat in job["seats"]):
                environment = host.environment
                with_database(lambda: queue.note_environment(match.pk, claim.attempt, environment))
            host.send(job)
        except Exception as error:  # one match must not take the others of this worker with it
            logger.exception("match %s attempt %s did not begin", match.pk, claim.attempt)
            why = host_reports.cause_of(error)
            told = why if isinstance(error, PlatformError) else f"it did not begin: {why}"
            host_reports.lose(match.pk, claim.attempt, told)
            return 0
        now = time.monotonic()
        self._tables.add(Table(claim, host, now, now, now + first_lease, secrets))
        if match.people:
            self._people.begin((match.pk, claim.attempt), host, job)
        return 1

    # --- Hosts --------------------------------------------------------------------------------------------

    def _host(self, *, mixed: bool) -> HostProcess:
        """The host for matches with both sandboxed and HTTP seats, or for all others."""
        return self._hosts.ready(mixed=mixed, busy=self._tables.hosts())

    @contextmanager
    def _hosts_closed(self) -> Iterator[None]:
        """Whatever happens, no host is left behind, and what it played is queued again at once."""
        try:
            yield
        except (OperationalError, InterfaceError):
            raise  # without PostgreSQL nothing can be written down: the leases run out by themselves
        except Exception as error:
            for table in self._tables:
                host_reports.lose(*table.key, f"the worker stopped: {type(error).__name__}")
            raise
        except BaseException:  # told to end before its matches were over
            for table in self._tables:
                host_reports.give_back(*table.key)
            raise
        finally:
            self._hosts.close_all()

    # --- What hosts say -----------------------------------------------------------------------------------

    def _listen(self) -> None:
        """Take what the hosts have to say, and give up matches whose lease ran out without progress."""
        busy = self._tables.hosts()
        wait_s = LOOK_S if self._people else POLL_S
        for host in busy:
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
        table = self._tables.named(event["match"], event["attempt"])
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
        elif event["type"] in host_reports.ENDINGS:
            self._forget(table)
            host_reports.store(*table.key, event, began=table.began)

    def _forget(self, table: Table) -> None:
        """The match is over for this worker, whatever becomes of it."""
        self._tables.remove(table)
        self._people.end(table.key)

    # --- People -------------------------------------------------------------------------------------------

    def _keep(self, table: Table, event: dict[str, Any]) -> None:
        """Store what happened at a table with people, or a question to one of them; then the match may go on."""
        match_id, attempt = table.key
        write = journal.store if event["type"] == "acted" else journal.ask
        try:
            own = with_database(lambda: write(match_id, attempt, event))
        except Exception as error:  # one match must not take the others of this worker with it
            logger.exception("match %s attempt %s: a decision was not stored", match_id, attempt)
            host_reports.lose(match_id, attempt, f"a decision was not stored: {type(error).__name__}")
            own = False
        if not own:
            self._abandon(table)
        elif event["type"] == "question":
            self._people.asked(table.key, event["seat"], event["number"])
        else:
            if event.get("how") == faults.TIMEOUT and event["bank_ms"] is not None:
                self._people.late(table.key, event["seat"])
            self._people.send(table.key, {"type": "stored", "number": event["number"]})

    def _attend_people(self) -> None:
        """Carry answers to the hosts, and the time in which nobody could give one back to the clocks."""
        looked = self._people.look()
        for key in looked.gone:
            self._abandon(self._tables.at(key))
        for key in self._people.tables if looked.blind_s else ():
            self._stand_still(self._tables.at(key), looked.blind_s)

    def _stand_still(self, table: Table, seconds: float) -> None:
        (match_id, attempt), ms = table.key, int(seconds * 1000)
        table.lease_until += seconds
        lease_s = max(queue.lease_s(0), table.lease_until - time.monotonic())
        with_database(lambda: journal.stood_still(match_id, attempt, ms=ms, lease_s=lease_s))
        self._people.send(table.key, {"type": "stood", "ms": ms})

    def _give_back_people(self) -> None:
        """A worker that is told to end does not wait for people: another goes on from the journal."""
        for key in self._people.tables:
            host_reports.give_back(*key)
            self._abandon(self._tables.at(key))

    def _sign(self, table: Table, event: dict[str, Any]) -> None:
        """Sign a request of the match; one that is not its own costs this match alone, and no signature is given."""
        try:
            signed = job_making.sign(event, table.secrets, now=time.time())
        except Exception as error:  # whatever a host may ask for, it must not take other matches with it
            logger.exception("match %s attempt %s: nothing was signed", event["match"], event["attempt"])
            host_reports.lose(*table.key, host_reports.cause_of(error))
            self._abandon(table)
        else:
            table.host.send(signed)

    def _renew(self, table: Table, event: dict[str, Any]) -> None:
        now = time.monotonic()
        seconds = queue.lease_s(event["open_ms"])
        lengthened = now + seconds - table.lease_until
        if now - table.renewed < RENEW_S and lengthened < RENEW_S:
            return
        table.renewed, table.lease_until = now, now + seconds
        match_id, attempt = table.key
        try:
            own = queue.renew(match_id, attempt, seconds=seconds, deal=event["deal"])
        except (OperationalError, InterfaceError) as error:
            connection.close()  # it may be back before the lease is over; if not, the lease decides
            logger.warning("match %s: no lease renewed: %s", match_id, error)
            return
        if not own:
            self._abandon(table)

    def _abandon(self, table: Table) -> None:
        """The match is no longer ours: a host that plays nothing else ends, another drops it."""
        match_id, attempt = table.key
        self._forget(table)
        logger.warning("match %s attempt %s was taken away", match_id, attempt)
        if self._tables.played_in(table.host):
            with suppress(HostLost):  # who listens to it finds out
                table.host.send({"type": "drop", "match": str(match_id), "attempt": attempt})
        else:
            self._hosts.close(table.host)

    def _end_overdue(self) -> None:
        """A host without progress in a match is not believed to be alive: all it plays is queued again.

        What such a host has said is heard first: this worker may have waited for its database all the while.
        """
        for host in self._tables.hosts():
            self._hear_out(host)
            if self._tables.overdue_in(host):
                self._lose_all(host, "no progress before the lease ran out")

    def _hear_out(self, host: HostProcess) -> None:
        """Take all that ``host`` has said so far, or as much as shows that none of its matches is overdue."""
        try:
            while self._tables.overdue_in(host):
                events = host.events(0)
                if not events and not host.has_more():
                    return
                for event in events:
                    self._take(event)
        except HostLost as error:
            self._lose_all(host, str(error))

    def _lose_all(self, host: HostProcess, cause: str) -> None:
        for table in self._tables.played_in(host):
            self._forget(table)
            host_reports.lose(*table.key, cause)
        self._hosts.close(host)
