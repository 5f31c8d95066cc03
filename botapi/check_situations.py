"""Situations for the check of a version: real views and legal lists of every phase (service.md, "Authors").

They are not written by hand: house bots play deals of a fixed seed, and the first decisions of each sort that
come up are kept. A sort is the phase, the kinds of legal action, and whether anything was led yet.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from botapi import house
from engine import PRESETS, Game

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine import RuleSet

KINDS: Final = (
    "pl-3",
    "pl-2",
    "pl-2-twelve",
    "pl-2-draw",
    "pl-2-open",
    "pl-4-sit",
    "pl-4-all",
    "natjar-3",
    "cz-3",
    "ru-3",
    "ru-2-gold",
    "nl-3",
)
"""One preset for each kind of table."""
DEALS: Final = 24


@dataclass(frozen=True, slots=True)
class Situation:
    """One decision of seat 0: what the bot is asked."""

    view: dict[str, Any]
    legal: tuple[str, ...]
    events: list[Any]


def kinds() -> list[RuleSet]:
    """The rule sets of :data:`KINDS`."""
    return [PRESETS[name] for name in KINDS if name in PRESETS]


def situations(ruleset: RuleSet, *, deals: int = DEALS) -> list[Situation]:
    """One situation of each sort that ``deals`` deals bring up for seat 0, as they came up."""
    found: dict[tuple[Any, ...], Situation] = {}
    for situation in _decisions(ruleset, deals):
        found.setdefault(_sort(situation), situation)
    return list(found.values())


def _sort(situation: Situation) -> tuple[Any, ...]:
    verbs = tuple(dict.fromkeys(action.partition(":")[0] for action in situation.legal))
    return situation.view["phase"], verbs, bool(situation.view["trick"]), situation.view["hand"] is None


def _decisions(ruleset: RuleSet, deals: int) -> Iterator[Situation]:
    seed = hashlib.sha256(f"thousand check {ruleset.name}".encode()).digest()
    game = Game(ruleset, seed=seed)
    draws = [house.Draws(seed, seat) for seat in range(ruleset.players)]
    cursor = 0
    while game.seat is not None and len(game.deals) < deals:
        seat, view = game.seat, game.view(game.seat)
        if seat == 0:
            events, cursor = game.events(seat, cursor)
            yield Situation(view, tuple(game.legal), events)
        name = "random" if (len(game.deals) + seat) % 2 else "greedy"
        game.apply(house.choose(name, view, game.legal, draws[seat]))
