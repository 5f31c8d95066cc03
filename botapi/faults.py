"""Fault codes, the default action, and what an author is told (protocol.md section 5)."""

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


_MEANINGS: Final = {
    TIMEOUT: "No answer came in time. Each action has act_ms free, anything beyond is drawn from the bank, "
    "and no action may take longer than hard_ms. The default action was played.",
    CRASH: "The bot's process ended, or its connection was refused or reset, before it answered. "
    "A sandboxed bot is restarted once a match. The default action was played.",
    BAD_REPLY: "The answer could not be read: it must be one JSON object with the id of the request "
    "and an action, within the size limit, and over HTTP with status 200. The default action was played.",
    ILLEGAL: "The action is not in the list of legal actions that came with the request. "
    "The default action was played.",
    LATE: "An answer came after its deadline. It was ignored; the fault was recorded when the time ran out.",
    START: "The bot did not answer the hello message in time, so no match began and nothing was lost.",
}


def explain(code: str, detail: str, *, legal: Sequence[str] = (), action: str = "") -> str:
    """One paragraph for the author: the rule broken, what was seen, what was expected."""
    parts = [_MEANINGS[code]]
    if detail:
        parts.append(f"Seen: {detail}.")
    if code == ILLEGAL and legal:
        parts.append(f"Legal was: {' '.join(legal)}.")
    if action:
        parts.append(f"Played instead: {action}.")
    return " ".join(parts)
