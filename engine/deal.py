"""The state of a match: one :class:`Deal` at a time, and the running :class:`Standing`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from engine.ruleset import RuleSet

Actions = list[tuple[int, str]]
"""Every action of a deal with its seat, the engine's own included."""


class Deal:
    """One deal. Hands and sets of cards are masks, seats are numbers, -1 is nobody or nothing.

    ``begins`` is the cursor of events at its start; ``notes`` are events besides actions: how many actions were taken
    before, the seat that sees it (-1: all), the event.

    What is not told by its name, in the order of the phases:

    - ``dealt``, ``before``: hands and totals when the deal began;
    - ``seat``, ``legal``: who decides, and during the play among what;
    - ``asked``: how many active seats were asked for a redeal of the dealt cards, ``nines_asked`` whether the round of
      those with four nines after the exchange has begun;
    - ``passed``: seats that passed, as bits; ``turn``: the seat that bid or passed last; ``bidder``: whose ``bid``
      stands; ``compulsory``: whether it was his only choice; ``last_bids``: the last bid of each seat that made one;
    - ``shown``: marriages shown for a bid, ``melds`` melded ones, as seat, kind (and value); ``melded``: the kinds
      melded so far, as bits;
    - ``chosen``, ``talon``: number and cards of the talon taken; ``given``: receiver and card; ``bonus``: what the
      sitter gets; ``had_marriage``: whether the declarer held one when he named the contract;
    - ``play_start``: how many actions were taken before the first card (-1: none is played yet);
    - ``leftovers``: what goes to the last trick; ``winners``: who took each trick; ``played``: the cards in them;
    - ``trick``, ``position``, ``leader``: the cards on the table, how many, and who led; ``led_mask`` and
      ``trump_mask``: the suits; ``winner``: who wins so far; ``beating``: the cards that would take the trick from him;
    - ``drawn``: how many cards of the stock are gone.

    Slots of its own and not those of a dataclass, because mypyc compiles these to fields and those to lookups.
    """

    __slots__ = (
        "actions",
        "active",
        "asked",
        "beating",
        "before",
        "begins",
        "bid",
        "bidder",
        "bonus",
        "chosen",
        "claimed",
        "compulsory",
        "conceded",
        "contract",
        "cut",
        "cut_payer",
        "dark",
        "dealer",
        "dealt",
        "deck",
        "declarer",
        "discarded",
        "drawn",
        "face_up",
        "given",
        "golden",
        "had_marriage",
        "hands",
        "last_bids",
        "leader",
        "led_mask",
        "leftovers",
        "legal",
        "melded",
        "melds",
        "next_seat",
        "nines_asked",
        "notes",
        "number",
        "offered_dark",
        "passed",
        "play_start",
        "played",
        "points",
        "position",
        "seat",
        "shown",
        "sitter",
        "stock",
        "talon",
        "talon_public",
        "talons",
        "trick",
        "trump",
        "trump_mask",
        "turn",
        "void",
        "winner",
        "winners",
    )

    def __init__(  # noqa: PLR0913, PLR0915 - one statement a field
        self,
        *,
        number: int,
        dealer: int,
        sitter: int,
        active: tuple[int, ...],
        next_seat: tuple[int, ...],
        deck: tuple[int, ...],
        hands: list[int],
        dealt: tuple[int, ...],
        talons: tuple[int, ...],
        stock: tuple[int, ...],
        points: list[int],
        before: tuple[int, ...],
        cut: tuple[int, ...],
        cut_payer: int,
        golden: bool,
        face_up: bool,
    ) -> None:
        self.number = number
        self.dealer = dealer
        self.sitter = sitter
        self.active = active
        self.next_seat = next_seat
        self.deck = deck
        self.hands = hands
        self.dealt = dealt
        self.talons = talons
        self.stock = stock
        self.points = points
        self.before = before
        self.begins = 0
        self.cut = cut
        self.cut_payer = cut_payer
        self.golden = golden
        self.face_up = face_up
        self.offered_dark = False
        self.actions: Actions = []
        self.notes: list[tuple[int, int, dict[str, Any]]] = []
        self.seat = -1
        self.legal: tuple[str, ...] = ()
        self.asked = 0
        self.nines_asked = False
        self.void = False
        # auction
        self.dark = False
        self.passed = 0
        self.bid = 0
        self.bidder = -1
        self.turn = -1
        self.compulsory = False
        self.last_bids: dict[int, int] = {}
        self.shown: list[tuple[int, int]] = []
        self.declarer = -1
        # talon, exchange, contract
        self.chosen = -1
        self.talon = 0
        self.talon_public = face_up
        self.bonus = 0
        self.given: list[tuple[int, int]] = []
        self.discarded = 0
        self.contract = 0
        self.conceded = False
        self.had_marriage = False
        # play
        self.play_start = -1
        self.claimed = False
        self.leftovers = 0
        self.trump = -1
        self.trump_mask = 0
        self.melded = 0
        self.melds: list[tuple[int, int, int]] = []
        self.winners: list[int] = []
        self.played = 0
        self.position = 0
        self.trick = 0
        self.led_mask = 0
        self.beating = 0
        self.winner = -1
        self.leader = -1
        self.drawn = 0


@dataclass(eq=False)
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
