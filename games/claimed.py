"""The matches that a worker has claimed and not yet ended: in which hosts they are played, and for how long on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from games.host_process import HostProcess
from games.queue import Claim


@dataclass(slots=True)
class Table:
    """A claimed match in the host; ``renewed`` and ``lease_until`` are on this process's monotonic clock.

    ``secrets``, by seat, sign the requests of endpoints where the host must not hold them.
    """

    claim: Claim
    host: HostProcess
    began: float
    renewed: float
    lease_until: float
    secrets: dict[int, list[str]]

    @property
    def key(self) -> tuple[int, int]:
        """The match and its attempt."""
        return self.claim.match.pk, self.claim.attempt


class Tables:
    """All of them, found by what a host, a person's seat or the clock says."""

    def __init__(self) -> None:
        self._tables: dict[tuple[str, int], Table] = {}

    def __len__(self) -> int:
        return len(self._tables)

    def __iter__(self) -> Iterator[Table]:
        return iter(list(self._tables.values()))

    def add(self, table: Table) -> None:
        """It begins."""
        match_id, attempt = table.key
        self._tables[str(match_id), attempt] = table

    def remove(self, table: Table) -> None:
        """It is over for this worker."""
        match_id, attempt = table.key
        del self._tables[str(match_id), attempt]

    def named(self, match: str, attempt: int) -> Table | None:
        """The one that a host speaks of, unless it is over."""
        return self._tables.get((match, attempt))

    def at(self, key: tuple[int, int]) -> Table:
        """The one of a match and its attempt, which is not over."""
        match_id, attempt = key
        return self._tables[str(match_id), attempt]

    def hosts(self) -> list[HostProcess]:
        """Those in which something is played, each once."""
        return list({id(table.host): table.host for table in self._tables.values()}.values())

    def played_in(self, host: HostProcess) -> list[Table]:
        """What this host plays."""
        return [table for table in self._tables.values() if table.host is host]

    def overdue_in(self, host: HostProcess) -> bool:
        """Whether the lease of something that this host plays has run out."""
        now = time.monotonic()
        return any(table.lease_until < now for table in self.played_in(host))
