"""Cards as the house bots see them: text of two characters, rank then suit (rules.md section 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine import PRESETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SUITS: Final = "SCDH"
RANKS: Final = "9JQKTA"
STRENGTH: Final = {rank: place for place, rank in enumerate(RANKS)}
POINTS: Final = {"9": 0, "J": 2, "Q": 3, "K": 4, "T": 10, "A": 11}
MARRIAGE: Final = {"S": 40, "C": 60, "D": 80, "H": 100}
PACK: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)


def points(cards: Iterable[str]) -> int:
    """Sum of card points."""
    return sum(POINTS[card[0]] for card in cards)


def marriages(hand: Iterable[str]) -> list[str]:
    """Suits of which king and queen are held, the dearest first."""
    held = set(hand)
    return [suit for suit in reversed(SUITS) if "K" + suit in held and "Q" + suit in held]


def number(action: str) -> int:
    """The number of ``bid:110`` or ``contract:120``."""
    return int(action.partition(":")[2])


def beats(card: str, other: str, trump: str | None) -> bool:
    """Whether ``card``, played later, takes the trick from ``other``, which is winning it."""
    if card[1] == other[1]:
        return STRENGTH[card[0]] > STRENGTH[other[0]]
    return card[1] == trump


def winning(trick: Sequence[Sequence[Any]], trump: str | None) -> tuple[int, str]:
    """Seat and card that are winning a trick of ``[seat, card]`` pairs (at least one)."""
    seat, best = trick[0]
    for other, card in trick[1:]:
        if beats(card, best, trump):
            seat, best = other, card
    return seat, best


def unseen(view: Mapping[str, Any]) -> set[str]:
    """Cards that may lie in other hands (or in a talon or stock nobody has shown).

    That is the pack without what was seen.
    """
    gone: set[str] = set(view["hand"] or ())
    gone.update(card for _, card in view["trick"])
    for trick in view["tricks"]:
        gone.update(
            trick["cards"]
            if not trick["cards"] or isinstance(trick["cards"][0], str)
            else _bare(trick["cards"])
        )
    gone.update(view["discarded"] or ())
    return set(PACK) - gone


def _bare(pairs: Iterable[Sequence[Any]]) -> list[str]:
    return [card for _, card in pairs]


def option(view: Mapping[str, Any], name: str) -> Any:
    """One option of the table's rule set, from its preset and what was changed (rules.md section 3)."""
    rules = view["rules"]
    if name in rules["changed"]:
        return rules["changed"][name]
    return getattr(PRESETS[rules["base"] or rules["name"]], name)


def active_seats(view: Mapping[str, Any]) -> int:
    """How many seats play this deal."""
    return int(view["seats"]) - (view["sitting_out"] is not None)
