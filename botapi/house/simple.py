"""Three plain house bots: ``random``, ``first`` and ``greedy``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botapi.faults import card_points, default_action
from botapi.house import cards

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from botapi.house.draws import Draws


def first(view: Mapping[str, Any], legal: Sequence[str], draws: Draws) -> str:
    """The first legal action that is not a redeal, so that every match ends."""
    del view, draws
    return next((action for action in legal if action != "redeal"), legal[0])


def random(view: Mapping[str, Any], legal: Sequence[str], draws: Draws) -> str:
    """Any legal action, within reason.

    Bids and contracts are near the lowest, bids are seldom, redeals never: matches should end.
    """
    del view
    choices = [action for action in legal if action != "redeal"] or list(legal)
    numbers = [action for action in choices if action.startswith(("bid:", "contract:"))]
    if numbers:
        if "pass" in choices and draws.below(3):
            return "pass"
        return numbers[draws.below(min(2, len(numbers)))]
    return choices[draws.below(len(choices))]


def greedy(view: Mapping[str, Any], legal: Sequence[str], draws: Draws) -> str:
    """Bids what the hand holds in points and marriages.

    Melds when it can, takes what it can, else throws the least.
    """
    del draws
    phase = view["phase"]
    if phase in ("auction", "contract"):
        return _lowest_within(legal, _holds(view["hand"] or ()))
    if phase != "play":
        return default_action(legal)
    if "claim" in legal:
        return "claim"
    melds = [action for action in legal if action.startswith("meld:")]
    if melds:
        return max(melds, key=lambda action: cards.MARRIAGE[action[-1]])
    return "play:" + _take_or_throw(view, [action[5:] for action in legal])


def _holds(hand: Sequence[str]) -> int:
    """Points in hand, the marriages, and 20 for what tricks and the talon bring."""
    return cards.points(hand) + sum(cards.MARRIAGE[suit] for suit in cards.marriages(hand)) + 20


def _lowest_within(legal: Sequence[str], worth: int) -> str:
    """Pass above one's worth; else the lowest bid, or the lowest contract."""
    numbers = [action for action in legal if action.startswith(("bid:", "contract:"))]
    within = [action for action in numbers if cards.number(action) <= worth]
    if not within:
        return "pass" if "pass" in legal else numbers[0]
    return within[0]


def _take_or_throw(view: Mapping[str, Any], playable: Sequence[str]) -> str:
    trick, trump = view["trick"], view["trump"]
    if not trick:
        return max(playable, key=lambda card: cards.STRENGTH[card[0]])
    _, best = cards.winning(trick, trump)
    takers = [card for card in playable if cards.beats(card, best, trump)]
    if takers:
        return max(takers, key=card_points)
    return min(playable, key=card_points)
