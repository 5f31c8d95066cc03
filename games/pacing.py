"""What the people at one table are shown, move by move, and at what pace.

A decision is told to the parent with all that each person's seat sees after it; the match goes on once the parent
says that it is stored, and after the pause that the people want.
"""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any, Final

import msgspec

from games.showing import SECRET

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from games.job import Pace
    from games.match import Match
    from games.steps import Acted

SWAY: Final = (0.6, 1.4)
"""A bot waits this much less or more than it should: always the same pause would tell it from a person."""

_encode = msgspec.json.Encoder().encode


class Pacing:
    """Tells of the decisions of ``play``; ``people`` are the seats of people.

    ``emit`` says an event of the host: ``acted`` with ``number``, ``seat``, ``action``, ``how`` and ``bank_ms`` of
    the decision (but the first one, which only shows the cards), ``deal``, and in ``shown`` by seat what has
    changed for a person: ``view``, ``events`` of the deal in progress, ``last_deal`` (those of the one before).
    """

    def __init__(self, play: Match, people: Sequence[int], pace: Pace, emit: Callable[..., None]) -> None:
        self.pace = pace
        self._play = play
        self._people = people
        self._emit = emit
        self._seen: dict[int, bytes] = {}
        self._deals: dict[int, int] = {}
        self._tricks = (0, 0)
        self._resume: Callable[[], None] | None = None
        self._number = -1
        self._pause_ms = 0
        self._timer: asyncio.TimerHandle | None = None

    def acted(self, step: Acted, resume: Callable[[], None]) -> None:
        """Tell of a decision and hold the match until it is stored."""
        shown = self._changes()
        self._resume, self._number = resume, step.number
        self._pause_ms = self._pause(anything_shown=bool(shown))
        taken = step.taken
        decision = {} if taken is None else {**taken._asdict(), "bank_ms": step.bank_ms}
        self._emit("acted", number=step.number, deal=self._play.game.deal, shown=shown, **decision)

    def stored(self, number: int) -> None:
        """The decision is stored: the match goes on after a pause. Said twice it is heard once."""
        resume = self._resume
        if resume is None or number != self._number:
            return
        self._resume = None
        self._timer = asyncio.get_running_loop().call_later(self._pause_ms / 1000, resume)

    def close(self) -> None:
        """Nothing is waited for any more."""
        self._resume = None
        if self._timer is not None:
            self._timer.cancel()

    def _changes(self) -> dict[int, msgspec.Raw]:
        """By seat what a person sees now, where it is not what they saw before.

        A decision that is secret changes nothing for others; while it is awaited they see nothing new, for that
        would tell them that there is one.
        """
        game = self._play.game
        changed: dict[int, msgspec.Raw] = {}
        for seat in self._people:
            if game.phase in SECRET and game.seat != seat:
                continue
            told: dict[str, Any] = {
                "view": game.view(seat),
                "events": game.events(seat, game.current.begins)[0],
            }
            seen = _encode(told)
            if self._seen.get(seat) == seen:
                continue
            self._seen[seat] = seen
            if self._deals.get(seat) != game.deal and game.deal > 0:
                told["last_deal"] = self._last_deal(seat, len(told["events"]))
                seen = _encode(told)
            self._deals[seat] = game.deal
            changed[seat] = msgspec.Raw(seen)
        return changed

    def _last_deal(self, seat: int, since: int) -> list[dict[str, Any]]:
        """The events of the deal before the one in progress, which has had ``since`` of them so far."""
        game = self._play.game
        before = next(deal for deal, *_ in reversed(game.finished) if deal is not game.current)
        told = game.events(seat, before.begins)[0]
        return told[: len(told) - since]

    def _pause(self, *, anything_shown: bool) -> int:
        """How long to wait before the next decision: for a complete trick, and for a bot that has its turn."""
        if not anything_shown:
            return 0
        game, play = self._play.game, self._play
        tricks = (game.deal, len(game.public()["tricks"]))
        complete, self._tricks = tricks != self._tricks, tricks
        bot = game.seat is not None and (game.seat not in self._people or play.is_away(game.seat))
        bot_ms = int(self.pace.bot_ms * random.uniform(*SWAY)) if bot else 0  # noqa: S311 - no card hangs on it
        return self.pace.trick_ms * complete + bot_ms
