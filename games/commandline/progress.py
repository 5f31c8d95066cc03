"""A progress bar on stderr, where stderr is a terminal."""

from __future__ import annotations

import sys
import time
from typing import Final

WIDTH: Final = 30
EVERY_S: Final = 0.1


class Progress:
    """``step()`` after each of ``total`` pieces of work; nothing is drawn when nobody looks."""

    def __init__(self, total: int, what: str) -> None:
        self._total = total
        self._what = what
        self._done = 0
        self._drawn = 0.0
        self._shown = sys.stderr.isatty() and total > 1

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        now = time.monotonic()
        if self._shown and (now - self._drawn > EVERY_S or self._done == self._total):
            self._drawn = now
            full = WIDTH * self._done // self._total
            sys.stderr.write(
                f"\r[{'#' * full}{'.' * (WIDTH - full)}] {self._done}/{self._total} {self._what} "
            )
            sys.stderr.flush()

    def close(self) -> None:
        """Clear the line."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
