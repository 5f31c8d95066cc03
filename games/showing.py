"""What a table shows to everybody while it is played, built key by key from what is public (service.md).

Runs in the match host. No hand, no talon that is not public, no deck, no seed is read here: the engine's
public view and the events that anybody may know.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine import Game
    from games.match import Match

EVERY_S: Final = 0.5
"""A table says so often at most what it shows; one with people says it at each move."""

SECRET: Final = ("redeal", "exchanged")
"""Phases of the engine in which a seat decides of which nobody else may know that it can (protocol.md section 4)."""
OUTCOME: Final = ("void", "declarer", "contract", "points", "scores", "totals")
"""What is told of the deal before: nothing of its cards."""


def public_state(game: Game, names: Sequence[str]) -> dict[str, Any]:
    """``names`` by seat, the public ``view``, the public ``events`` of the deal in progress, ``before``: how the last ended.

    JSON-ready; to be read only, it shares parts with later states. ``before`` is null in the first deal.
    """
    events, _cursor = game.events(None, game.current.begins)
    deals = game.deals
    return {
        "names": list(names),
        "view": game.public(),
        "events": events,
        "before": {key: deals[-1][key] for key in OUTCOME} if deals else None,
    }


class Showing:
    """Says what the table of ``play`` shows, when that has changed; ``tell`` gets the state's JSON.

    A decision that is secret changes nothing; while it is awaited nothing new is shown, for that would tell that
    there is one.
    """

    def __init__(self, play: Match, names: Sequence[str], tell: Callable[[msgspec.Raw], None]) -> None:
        self._play = play
        self._names = names
        self._tell = tell
        self._decisions = -1
        self._told = b""
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Look from now on, every :data:`EVERY_S` seconds."""
        self._timer = asyncio.get_running_loop().call_later(EVERY_S, self._tick)

    def look(self) -> None:
        """Tell what is shown now, unless it was told."""
        if self._play.decisions == self._decisions or self._play.game.phase in SECRET:
            return
        self._decisions = self._play.decisions
        state = msgspec.json.encode(public_state(self._play.game, self._names))
        if state != self._told:
            self._told = state
            self._tell(msgspec.Raw(state))

    def close(self) -> None:
        """Nothing is shown any more."""
        if self._timer is not None:
            self._timer.cancel()

    def _tick(self) -> None:
        self.look()
        self.begin()
