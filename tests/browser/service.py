"""The service that the browser meets: the demo, from nothing, in a folder of its own."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ladder.embedded import temporary_home
from tests.test_demo import READY, demo, piece, said_until

FIRST_MATCHES = 4
QUICK_EVENTS = {"EVENT_BOT_MS": "150", "EVENT_TRICK_MS": "0"}
"""Nobody needs to follow what happens at tables of events, nor may bots be told from people there."""


@dataclass(frozen=True)
class Service:
    """A running demo: its address, its operator's password, and its process."""

    site: str
    password: str
    pid: int

    def get(self, path: str) -> Any:
        """The JSON at ``path``."""
        with urllib.request.urlopen(self.site + path, timeout=20) as answer:
            return json.load(answer)

    def send(self, method: str, path: str, body: dict[str, Any], token: str = "") -> Any:
        """What the API answers to a JSON ``body``."""
        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"Token {token}"} if token else {}
        )
        request = urllib.request.Request(self.site + path, json.dumps(body).encode(), headers, method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def ask_for(self, matches: int) -> None:
        """The operator wants so many rated matches queued or running in the season from now on; 0 is a rest."""
        wish = {"username": "operator", "password": self.password, "name": "tests", "scopes": ["events:run"]}
        token = self.send("POST", "/api/v1/auth/token/", wish)["token"]
        season = self.get("/api/v1/seasons/")["results"][0]["slug"]
        self.send("PATCH", f"/api/v1/seasons/{season}/", {"queue_target": matches}, token)

    def piece(self, mark: str) -> int:
        """The process id of a part of the demo with ``mark`` in its command line."""
        found = piece(self.pid, mark)
        assert found, f"the demo has no {mark}"
        return found

    def hold(self) -> None:
        """Nothing new is begun from now on: pages stay as they are, and the machine is free for those who look."""
        os.kill(self.piece(" beat "), signal.SIGSTOP)

    @contextlib.contextmanager
    def going_on(self) -> Iterator[None]:
        """Matches are made, checks begun and ratings written meanwhile."""
        beat = self.piece(" beat ")
        os.kill(beat, signal.SIGCONT)
        try:
            yield
        finally:
            os.kill(beat, signal.SIGSTOP)

    def until(self, holds: Callable[[], bool], what: str, seconds: float = 120) -> None:
        """Wait until something holds; asked seldom enough for the limits of the API."""
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, f"not within {seconds:.0f} s: {what}"
            time.sleep(1.5)


@contextlib.contextmanager
def started(matches: int = FIRST_MATCHES) -> Iterator[Service]:
    """A demo of which so many matches are finished; stopped at the end."""
    with temporary_home() as home, demo(home, **QUICK_EVENTS) as process:
        said = said_until(process, READY)
        address, password = re.search(r"site +(\S+)/\n", said), re.search(r"operator / (\S+)", said)
        assert address, said
        assert password, said
        running = Service(address[1], password[1], process.pid)

        def played() -> bool:
            return len(running.get("/api/v1/matches/?state=finished")["results"]) >= matches

        running.until(played, "the first finished matches", seconds=240)
        yield running
