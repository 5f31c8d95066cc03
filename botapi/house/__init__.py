"""House bots: trusted code in the host's own process, opponents for everybody, and the stand-ins.

Each is a function of the seat's view, the legal actions and the seat's own :class:`Draws`; the same seed and
view give the same action. They play every rule set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from botapi.house.counter import counter
from botapi.house.draws import Draws
from botapi.house.simple import first, greedy, random

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["HOUSE_BOTS", "Draws", "choose"]

HOUSE_BOTS: Final[dict[str, Callable[[Mapping[str, Any], Sequence[str], Draws], str]]] = {
    "random": random,
    "first": first,
    "greedy": greedy,
    "counter": counter,
}


def choose(name: str, view: Mapping[str, Any], legal: Sequence[str], draws: Draws) -> str:
    """The action of the house bot ``name``; KeyError if there is none of that name."""
    draws.next_decision()
    return HOUSE_BOTS[name](view, legal, draws)
