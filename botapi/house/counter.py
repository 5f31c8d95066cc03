"""The ``counter``: counts the cards that are out, and bids by :mod:`botapi.house.worth`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from botapi.faults import default_action
from botapi.house import cards, worth
from botapi.house.cardplay import play

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from botapi.house.draws import Draws

BID_MARGIN: Final = 20
"""Points by which the expectation must exceed a bid."""
CONTRACT_MARGIN: Final = 30
"""The same for a contract above the bid."""
HOPELESS: Final = 20
"""A contract that is so far out of reach is conceded."""


def counter(view: Mapping[str, Any], legal: Sequence[str], draws: Draws) -> str:
    """An action for any phase of any rule set."""
    del draws
    return _PHASES.get(view["phase"], _by_default)(view, legal)


def _by_default(view: Mapping[str, Any], legal: Sequence[str]) -> str:
    del view
    return default_action(legal)


def _redeal(view: Mapping[str, Any], legal: Sequence[str]) -> str:
    """A poor hand is given back, unless it holds a marriage."""
    if "redeal" in legal and not cards.marriages(view["hand"] or ()):
        return "redeal"
    return default_action(legal)


def _auction(view: Mapping[str, Any], legal: Sequence[str]) -> str:
    bids = [action for action in legal if action.startswith("bid:")]
    if view["hand"] is None or not bids:
        return default_action(legal)
    expected = _expected(view, exchanged=cards.option(view, "exchange") == "none")
    if "pass" in legal and cards.number(bids[0]) > expected - BID_MARGIN:
        return "pass"
    return bids[0]


def _expected(view: Mapping[str, Any], *, exchanged: bool) -> float:
    at_once = cards.option(view, "marriage_first_trick")
    return worth.expected(view["hand"], exchanged=exchanged, at_once=at_once)


def _exchange(view: Mapping[str, Any], legal: Sequence[str]) -> str:
    hand = set(view["hand"])
    if "concede" in legal and _expected(view, exchanged=True) + HOPELESS < view["bid"]:
        return "concede"
    handed = [action.partition(":")[2] for action in legal if action.startswith(("give:", "discard:"))]
    if not handed:
        return _redeal(view, legal)
    verb = next(action for action in legal if action.startswith(("give:", "discard:"))).partition(":")[0]
    card = min(handed, key=lambda card: _keep_value(card, hand, given=verb == "give"))
    return f"{verb}:{card}"


def _keep_value(card: str, hand: set[str], *, given: bool) -> float:
    """What the declarer loses with ``card``: tricks, a marriage, or a gift to a defender."""
    rank, suit = card[0], card[1]
    held = {other[0] for other in hand if other[1] == suit}
    value = float(cards.STRENGTH[rank]) + 2 * len(held) * (rank != "9")
    if {"K", "Q"} <= held:
        value += cards.MARRIAGE[suit] if rank in "KQ" else 15
    elif given and rank in "KQ":
        value += cards.MARRIAGE[suit] / 10
    if rank == "A":
        value += 40
    if rank == "T":
        value += 25 if "A" in held else 12
    return value


def _contract(view: Mapping[str, Any], legal: Sequence[str]) -> str:
    expected = _expected(view, exchanged=True)
    if "concede" in legal and expected + HOPELESS < view["bid"]:
        return "concede"
    numbers = [action for action in legal if action.startswith("contract:")]
    within = [action for action in numbers if cards.number(action) <= expected - CONTRACT_MARGIN]
    return within[-1] if within else numbers[0]


_PHASES: Final = {
    "redeal": _redeal,
    "auction": _auction,
    "exchange": _exchange,
    "contract": _contract,
    "play": play,
}
