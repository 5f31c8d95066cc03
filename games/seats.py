"""Drivers for the seats of a job.

The HTTP driver, and aiohttp with it, is loaded by the first HTTP seat only.
"""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botapi.drivers.lag import LagMeter
from botapi.drivers.process import process_driver
from games.job import BadJob
from games.person import PersonDriver

if TYPE_CHECKING:
    from collections.abc import Callable

    from botapi.drivers.base import Driver
    from botapi.drivers.http import Sign
    from games.job import SeatJob


class Drivers:
    """Makes drivers.

    ``runtime``, ``backend`` and ``bwrap`` start sandboxes, ``packages`` is where those of bots are built; ``plain``
    allows unsandboxed processes (the authors' command line alone asks for that); ``eager_ms`` is how long a
    quick answer may be awaited outside the event loop.
    """

    def __init__(
        self,
        runtime: Path | None,
        backend: str,
        *,
        plain: bool,
        eager_ms: Callable[[], int],
        python: str = "/usr/bin/python3",
        bwrap: str = "",
        packages: Path | None = None,
        require_group: bool = False,
    ) -> None:
        self._python = python
        self._bwrap = bwrap
        self._packages = packages
        self._require_group = require_group
        self._runtime = runtime
        self._backend = backend
        self._plain = plain
        self._eager_ms = eager_ms
        self._sandbox: Any = None
        self._sessions: dict[bool, Any] = {}
        self._lag = LagMeter()

    @property
    def backend_name(self) -> str:
        """The sandbox backend that was chosen.

        ``none`` before a sandbox was needed and none was asked for.
        """
        return str(self._sandbox.name) if self._sandbox is not None else "none"

    @property
    def environment(self) -> dict[str, Any]:
        """What sandboxed bots run on (``Runtime.told``); empty before a sandbox was needed."""
        return self._sandbox.runtime.told() if self._sandbox is not None else {}

    def prepare_sandbox(self) -> None:
        """Choose the backend and set up its runtime directory; raises SandboxUnavailable with the reasons."""
        if self._sandbox is None:
            from botapi.drivers.sandbox import prepare

            self._sandbox = prepare(
                self._runtime,
                self._backend,
                python=self._python,
                bwrap=self._bwrap,
                packages=self._packages,
                require_group=self._require_group,
            )

    def make(
        self,
        seat: SeatJob,
        ask_person: Callable[[Any, Any], None],
        failed: Callable[[BaseException], None],
        sign: Sign | None = None,
    ) -> Driver | None:
        """The driver of a seat; None for a house bot, which needs none. ``sign`` asks the parent to sign."""
        if seat.kind == "house":
            return None
        if seat.kind == "person":
            return PersonDriver(ask_person)
        if seat.kind == "http":
            return self._http(seat, failed, sign if seat.parent_signs else None)
        if seat.kind == "process":
            if not self._plain:
                raise BadJob("this host runs no unsandboxed processes")
            return process_driver(seat.argv, failed=failed, eager_ms=self._eager_ms, lag=self._lag)
        from botapi.drivers.sandbox import sandbox_driver

        self.prepare_sandbox()
        return sandbox_driver(
            self._sandbox, Path(seat.dir), seat.limits, failed=failed, eager_ms=self._eager_ms, lag=self._lag
        )

    def _http(self, seat: SeatJob, failed: Callable[[BaseException], None], sign: Sign | None) -> Driver:
        from botapi.drivers.http import HttpDriver
        from botapi.drivers.http_session import allow_slow_names, make_session

        if not self._sessions:
            allow_slow_names()
            gc.freeze()  # the HTTP library is large and stays
        session = self._sessions.get(seat.allow_private)
        if session is None:
            session = self._sessions[seat.allow_private] = make_session(allow_private=seat.allow_private)
        return HttpDriver(session, seat.url, seat.secrets, lag=self._lag, sign=sign, failed=failed)

    async def close(self) -> None:
        """Close what is shared between matches."""
        for session in self._sessions.values():
            await session.close()
        if self._sandbox is not None:
            self._sandbox.runtime.close()
