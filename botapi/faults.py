"""Fault codes and the default action (protocol.md section 5); what authors are told: ``explanations``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

TIMEOUT: Final = "timeout"
CRASH: Final = "crash"
BAD_REPLY: Final = "bad_reply"
ILLEGAL: Final = "illegal"
LATE: Final = "late"
START: Final = "start"

CODES: Final = (TIMEOUT, CRASH, BAD_REPLY, ILLEGAL, LATE, START)
"""Every code of protocol.md section 5. ``late`` and ``start`` are no faults of a match: see there."""

GOOD_VERDICTS: Final = frozenset({"ok", "ready"})
"""What a private log says of a turn that is as it should be."""

FAULTS_BEFORE_STAND_IN: Final = 3
"""The third fault of a match hands the seat to a house bot."""

_POINTS: Final = {"9": 0, "J": 2, "Q": 3, "K": 4, "T": 10, "A": 11}
_SUITS: Final = "SCDH"


def card_points(card: str) -> int:
    """Points of a card such as ``TH`` (rules.md section 1)."""
    return _POINTS[card[0]]


def _cheapest(actions: Sequence[str]) -> str:
    """The action whose card has fewest points, then the lowest suit."""

    def cost(action: str) -> tuple[int, int]:
        card = action.partition(":")[2]
        return _POINTS[card[0]], _SUITS.index(card[1])

    return min(actions, key=cost)


_NEVER: Final = frozenset({"redeal", "concede", "claim"})
_FIRST_CHOICE: Final = ("keep", "look", "pass", "talon:0")


def default_action(legal: Sequence[str]) -> str:
    """What the service plays for a seat that did not answer (protocol.md section 5, "Default action").

    ``keep``, ``look``, ``pass`` where legal, else the lowest bid; ``talon:0``; never redeal, concede or claim
    where anything else is legal; for give and discard the card of fewest points, then lowest suit; the lowest
    contract; the legal play of fewest points, melded only where every legal play is a meld.
    """
    for action in _FIRST_CHOICE:
        if action in legal:
            return action
    rest = [action for action in legal if action not in _NEVER]
    if not rest:
        return legal[0]
    numbers = [action for action in rest if action.startswith(("bid:", "contract:"))]
    if numbers:
        return min(numbers, key=lambda action: int(action.partition(":")[2]))
    plain = [action for action in rest if not action.startswith("meld:")]
    cards = [action for action in plain or rest if ":" in action]
    return _cheapest(cards) if cards else rest[0]
