"""The state of a match: one :class:`Deal` at a time, and the running :class:`Standing`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from engine.ruleset import RuleSet

Actions = list[tuple[int, str]]
"""Every action of a deal with its seat, the engine's own included."""


@dataclass(eq=False, slots=True)
class Deal:
    """One deal. Hands and sets of cards are masks, seats are numbers, -1 is nobody or nothing.

    ``begins`` is the cursor of events at its start; ``notes`` are events besides actions: how many actions were taken
    before, the seat that sees it (-1: all), the event.
    """

    number: int
    dealer: int
    sitter: int
    active: tuple[int, ...]
    next_seat: tuple[int, ...]
    deck: tuple[int, ...]
    hands: list[int]
    dealt: tuple[int, ...]
    talons: tuple[int, ...]
    stock: tuple[int, ...]
    points: list[int]
    before: tuple[int, ...]
    begins: int = 0
    cut: tuple[int, ...] = ()
    cut_payer: int = -1
    golden: bool = False
    face_up: bool = False
    offered_dark: bool = False
    actions: Actions = field(default_factory=list)
    notes: list[tuple[int, int, dict[str, Any]]] = field(default_factory=list)
    seat: int = -1
    legal: tuple[str, ...] = ()
    asked: int = 0
    void: bool = False
    # auction
    dark: bool = False
    passed: int = 0
    bid: int = 0
    bidder: int = -1
    turn: int = -1
    compulsory: bool = False
    last_bids: dict[int, int] = field(default_factory=dict)
    shown: list[tuple[int, int]] = field(default_factory=list)
    declarer: int = -1
    # talon, exchange, contract
    chosen: int = -1
    talon: int = 0
    talon_public: bool = False
    bonus: int = 0
    given: list[tuple[int, int]] = field(default_factory=list)
    discarded: int = 0
    contract: int = 0
    conceded: bool = False
    had_marriage: bool = False
    # play
    play_start: int = -1
    claimed: bool = False
    leftovers: int = 0
    trump: int = -1
    trump_mask: int = 0
    melded: int = 0
    melds: list[tuple[int, int, int]] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    played: int = 0
    position: int = 0
    trick: int = 0
    led_mask: int = 0
    beating: int = 0
    winner: int = -1
    leader: int = -1
    drawn: int = 0


@dataclass(eq=False, slots=True)
class Standing:
    """What lasts from deal to deal."""

    totals: list[int]
    bolts: list[int]
    concessions: list[int]
    attempts: list[int]
    falls: list[int]
    last_contract: list[int]
    last_bid: list[int]
    finished: int = 0
    redeals: int = 0
    golden: bool = False
    golden_deals: int = 0
    golden_made: bool = False
    reason: str = ""
    ranks: tuple[int, ...] = ()


def new_standing(rules: RuleSet) -> Standing:
    """The standing before the first deal."""
    zero = [0] * rules.players
    return Standing(
        totals=zero[:],
        bolts=zero[:],
        concessions=zero[:],
        attempts=zero[:],
        falls=zero[:],
        last_contract=zero[:],
        last_bid=zero[:],
        golden=rules.golden_deals,
    )


ACES_SHOWN: Final = 4
"""In ``shown``, ``melds`` and ``melded``: the ace marriage, after the suits 0..3."""
