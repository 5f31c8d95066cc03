"""The options of a rule set: name, values and meaning of each, in one place (rules.md section 3).

Tables, forms and checks are generated from :data:`OPTIONS`; an option's default is the one of the field in
:class:`engine.ruleset.RuleSet`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from engine.errors import RuleSetError

MOST: Final = 10_000
"""No number of a rule set is above this: nothing real comes near, and lists of bids stay short."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    ``kind`` is flag, word, number, sizes or record; ``words`` are the words it may take (for numbers: beside
    numbers); ``low`` and ``high`` bound numbers; ``off`` says whether None switches it off; ``usual`` lists
    the values of the presets.
    """

    name: str
    kind: str
    meaning: str
    words: tuple[str, ...] = ()
    low: int = 0
    high: int = MOST
    off: bool = False
    usual: tuple[int, ...] = ()

    @property
    def values(self) -> str:
        """The values in one short line, as the rules page prints them."""
        if self.kind == "flag":
            return "true, false"
        if self.kind == "sizes":
            return "up to two sizes"
        if self.kind == "record":
            return "null or a record"
        parts = ["null"] if self.off else []
        parts += self.words
        if self.kind == "number":
            usual = f" (usual: {', '.join(str(n) for n in self.usual)})" if self.usual else ""
            parts.append(f"{self.low} to {self.high}{usual}")
        return ", ".join(parts)

    def check(self, value: Any) -> None:
        """Raise RuleSetError unless ``value`` is one that the option may take."""
        if value is None and self.off:
            return
        if self.kind == "flag":
            fits = isinstance(value, bool)
        elif isinstance(value, str):
            fits = value in self.words
        elif self.kind == "number":
            fits = isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high
        else:
            fits = False
        if not fits:
            raise RuleSetError(self.name, f"{value!r:.60} is not one of {self.values}")


def _flag(name: str, meaning: str) -> Option:
    return Option(name, "flag", meaning)


def _word(name: str, words: str, meaning: str) -> Option:
    return Option(name, "word", meaning, words=tuple(words.split()))


OPTIONS: Final[tuple[Option, ...]] = (
    Option("players", "number", "Seats at the table.", low=2, high=4),
    _flag("dealer_sits_out", "Four players, three of them active: the dealer sits out."),
    Option("hand_size", "number", "Cards dealt to each active seat.", low=1, high=12),
    Option("talons", "sizes", "Sizes of the talons; what remains of the 24 cards is the stock."),
    _flag("talon_face_up", "The talon is visible to all before the auction."),
    _flag("choose_talon", "Of two talons the declarer picks one; otherwise the first is his."),
    Option("target", "number", "The total that ends the game.", low=1, high=100_000, usual=(500, 1000)),
    Option("deal_limit", "number", "The game ends after so many deals in any case.", low=1, usual=(200,)),
    _flag("auction", "There is an auction; without one forehand leads and all score their own points."),
    _word("opening", "forced free", "Whether forehand must open the auction at the least bid or may pass."),
    Option("min_bid", "number", "The least bid.", low=1, usual=(100,)),
    Option("bid_step", "number", "Bids are multiples of it.", low=1, usual=(5, 10)),
    Option("contract_step", "number", "Contracts are multiples of it.", low=1, usual=(1, 5, 10)),
    _flag("jump_bids", "A raise may be more than one step."),
    _word(
        "bid_limit", "hand marriage none", "What a bid above 120 needs: its marriages' values, any, nothing."
    ),
    _word(
        "contract_limit",
        "hand marriage none",
        "What a contract above 120 needs of the hand after the exchange; the bid itself is always allowed.",
    ),
    Option("ceiling", "number", "No bid and no contract is above it.", low=120, usual=(360, 400, 420)),
    Option(
        "show_marriage_from",
        "number",
        "A bid of at least this shows the cheapest marriage of the bidder.",
        low=1,
        off=True,
        usual=(130,),
    ),
    Option(
        "dark_bid", "number", "Forehand may bid this before seeing his hand.", low=1, off=True, usual=(120,)
    ),
    _flag("golden_deals", "The first round of deals is golden: forehand plays 120, doubled."),
    _flag("golden_raise", "The contract of a golden deal may exceed 120."),
    _flag("cut_ritual", "The dealer's right-hand neighbour cuts; three nines in a row cost him 120."),
    _word(
        "redeal_four_nines", "no dealt exchanged both", "When a seat holding four nines may void the deal."
    ),
    Option(
        "redeal_below", "number", "A seat dealt fewer card points may void the deal.", usual=(0, 10, 14, 18)
    ),
    _flag("redeal_barred_by_marriage", "No such claim with a marriage in hand."),
    _flag("redeal_automatic", "An entitled seat has no choice: the deal is void."),
    Option(
        "redeal_talon_below", "number", "The declarer may void the deal over a poorer talon.", usual=(0, 5)
    ),
    Option("redeal_talon_nines", "number", "The same with so many nines in it.", high=24, usual=(0, 2)),
    _word("talon_reveal", "always not_at_minimum never", "Whether all see the talon that the declarer took."),
    _word("exchange", "give_each give_one discard none", "What the declarer does after taking the talon."),
    Option(
        "concession", "record", "Whether a declarer may give up before the play, and what it costs.", off=True
    ),
    _word("overtake", "all second none", "Who must beat the trick if able."),
    _word("void", "free beat trump", "What a seat without the led suit must play."),
    _word("marriage_lead", "queen either", "Which card of the pair may be led to meld."),
    _flag("marriage_first_trick", "A marriage may be melded on the first trick."),
    _word("marriage_announcement", "optional automatic", "Whether leading a meldable card always melds."),
    _flag("over_marriage", "A king right after the neighbour's queen of the suit may be melded."),
    Option("ace_marriage", "number", "Value of four aces held, melded by leading an ace.", usual=(0, 200)),
    _flag("claim", "The declarer may claim the rest when it is certain."),
    Option("rounding", "number", "Defenders' points are rounded to a multiple.", low=1, usual=(1, 5, 10)),
    _word("round_half", "down up", "Where an exact half goes."),
    _word(
        "defender_limit", "none cap skip", "What a score gives that would carry a non-declarer to the target."
    ),
    _word("sit_out_bonus", "none aces points", "What a sitting-out dealer scores for the talon."),
    Option("barrel", "record", "The last stretch before the target has rules of its own.", off=True),
    Option("bolts", "number", "So many zero scores in a row cost 120.", usual=(0, 3)),
)

CONCESSION_OPTIONS: Final[tuple[Option, ...]] = (
    Option("concession.upto", "number", "Bids that may be conceded.", words=("forced", "any"), low=1),
    Option("concession.limit", "number", "Times a game for each player.", low=1, off=True, usual=(1, 2)),
    Option(
        "concession.pays", "number", "What each defender gets: so much, or half of the bid.", words=("half",)
    ),
    _flag("concession.costs_bid", "Whether the declarer loses his bid."),
    Option(
        "concession.barred_at", "number", "The total from which it is not allowed.", off=True, usual=(900,)
    ),
)

BARREL_OPTIONS: Final[tuple[Option, ...]] = (
    Option(
        "barrel.threshold", "number", "The total from which a seat is on the barrel.", low=1, high=100_000
    ),
    _flag("barrel.clamp", "A total that reaches the threshold is set to it."),
    Option("barrel.min_contract", "number", "The contract that a seat on the barrel must make to finish."),
    _flag("barrel.needs_marriage", "To finish it must have held a marriage, too."),
    Option("barrel.attempts", "number", "Deals before it falls off.", low=1, off=True, usual=(3,)),
    Option("barrel.falls", "number", "Falls that set the total to 0.", low=1, off=True, usual=(3,)),
)


def check_record(name: str, value: object, options: tuple[Option, ...], kind: type) -> None:
    """Check the fields of a concession or a barrel. Raises RuleSetError naming the field."""
    if not isinstance(value, kind):
        raise RuleSetError(name, f"{value!r:.60} is neither null nor a record")
    for option in options:
        option.check(getattr(value, option.name.partition(".")[2]))
