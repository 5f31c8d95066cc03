"""The options of a rule set: name, values and words of each, in one place (rules.md section 3).

Tables, forms, checks and the rules in words are generated from :data:`OPTIONS`; an option's default is the one of the
field in :class:`engine.ruleset.RuleSet`. All words here are message ids: translations are looked up where they are shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from engine.errors import RuleSetError, shown

if TYPE_CHECKING:
    from engine.ruleset import RuleSet

MOST: Final = 10_000
"""No number of a rule set is above this: nothing real comes near, and lists of bids stay short."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    ``name`` is its public name, in records and everywhere; ``title`` and ``meaning`` are for people. ``kind`` is flag,
    word, number, sizes or record; ``words`` are the words it may take (for numbers: beside numbers); ``low`` and
    ``high`` bound numbers; ``off`` says whether None switches it off; ``usual`` lists the values of the presets.
    ``says`` is a sentence for each value (see :meth:`sentence`), empty where there is nothing to say; ``when`` tells
    of a rule set whether the option matters in it; ``later`` marks one that older records do not know: where it is
    missing, it is off.
    """

    name: str
    kind: str
    title: str
    meaning: str
    says: Mapping[str, str] = field(hash=False)
    words: tuple[str, ...] = ()
    low: int = 0
    high: int = MOST
    off: bool = False
    usual: tuple[int, ...] = ()
    when: Callable[[RuleSet], bool] = lambda _: True
    later: bool = False

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

    def sentence(self, value: Any) -> tuple[str, dict[str, int]]:
        """What ``value`` means: a sentence with %-parameters (a message id), and the parameters.

        The sentence is found under the value as JSON writes it, else under ``n`` for numbers; under their count for
        sizes; under ``record`` for records.
        """
        if self.kind == "sizes":
            return self.says[str(len(value))], dict(zip(("first", "second"), value, strict=False))
        if value is None or isinstance(value, bool | str):
            return self.says[value if isinstance(value, str) else json.dumps(value)], {}
        if self.kind == "record":
            return self.says["record"], {}
        return (self.says[str(value)], {}) if str(value) in self.says else (self.says["n"], {"n": value})

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
            raise RuleSetError(self.name, f"{shown(value)} is not one of {self.values}")


def _flag(name: str, title: str, meaning: str, off: str = "", **more: Any) -> Option:
    """A flag: its meaning is what it says when it is on, ``off`` when it is not."""
    return Option(name, "flag", title, meaning, {"true": meaning, "false": off}, **more)


def _word(name: str, title: str, meaning: str, says: dict[str, str], **more: Any) -> Option:
    """A word: what each of its words says."""
    return Option(name, "word", title, meaning, says, words=tuple(says), **more)


def _number(name: str, title: str, meaning: str, sentence: str, **more: Any) -> Option:
    """A number: what it says as ``%(n)d``; ``says`` for single values and for words beside numbers."""
    return Option(name, "number", title, meaning, {**more.pop("says", {}), "n": sentence}, **more)


def _has_auction(rules: RuleSet) -> bool:
    return rules.auction


def _has_talon(rules: RuleSet) -> bool:
    return bool(rules.talons)


def _has_redeal(rules: RuleSet) -> bool:
    return rules.redeal_four_nines != "no" or rules.redeal_below > 0


OPTIONS: Final[tuple[Option, ...]] = (
    _number("players", "Players", "Seats at the table.", "Players at the table: %(n)d.", low=2, high=4),
    _flag(
        "dealer_sits_out",
        "Dealer sits out",
        "Four players, three of them active: the dealer sits out.",
        "All four play every deal.",
        when=lambda rules: rules.players == 4,
    ),
    _number(
        "hand_size",
        "Cards in hand",
        "Cards dealt to each active player.",
        "Cards dealt to each active player: %(n)d.",
        low=1,
        high=12,
    ),
    Option(
        "talons",
        "sizes",
        "Talons",
        "Sizes of the talons; what remains of the 24 cards is the stock.",
        {
            "0": "There is no talon.",
            "1": "There is one talon; its cards: %(first)d.",
            "2": "There are two talons; their cards: %(first)d and %(second)d. The one not taken goes to the last trick.",
        },
    ),
    _flag(
        "talon_face_up",
        "Talon face up",
        "The talon lies face up: all see it before the auction.",
        "The talon lies face down during the auction.",
        when=_has_talon,
    ),
    _flag(
        "choose_talon",
        "Choice of talon",
        "The declarer picks one of the two talons.",
        "The first talon is the declarer's.",
        when=lambda rules: len(rules.talons) == 2,
    ),
    _number(
        "target",
        "Target",
        "The total that ends the game.",
        "The game ends after the deal in which a total reaches %(n)d.",
        low=1,
        high=100_000,
        usual=(500, 1000),
    ),
    _number(
        "deal_limit",
        "Limit of deals",
        "The game ends after so many deals in any case.",
        "The most deals of a game: %(n)d.",
        low=1,
        usual=(200,),
    ),
    _flag(
        "auction",
        "Auction",
        "There is an auction; who bids most is the declarer.",
        "There is no auction: forehand leads and all score their own points.",
    ),
    _word(
        "opening",
        "Opening",
        "Whether forehand must open the auction at the least bid or may pass.",
        {
            "forced": "Forehand must open at the least bid.",
            "free": "Forehand may pass; when all others have passed without a bid, the last must bid the least.",
        },
        when=_has_auction,
    ),
    _number(
        "min_bid",
        "Least bid",
        "The least bid.",
        "The least bid is %(n)d.",
        low=1,
        usual=(100,),
        when=_has_auction,
    ),
    _number(
        "bid_step",
        "Step of bids",
        "Bids are multiples of it.",
        "Bids are multiples of %(n)d.",
        low=1,
        usual=(5, 10),
        when=_has_auction,
    ),
    _number(
        "contract_step",
        "Step of contracts",
        "Contracts are multiples of it.",
        "Contracts are multiples of %(n)d.",
        low=1,
        usual=(1, 5, 10),
        when=_has_auction,
        says={"1": "A contract may be any number."},
    ),
    _flag(
        "jump_bids",
        "Jumps",
        "A raise may be more than one step.",
        "Each raise is exactly one step.",
        when=_has_auction,
    ),
    _word(
        "bid_limit",
        "Bids above 120",
        "What a bid above 120 needs: its marriages' values, any, nothing.",
        {
            "hand": "A bid may exceed 120 by the values of the marriages in hand.",
            "marriage": "A bid above 120 needs a marriage in hand.",
            "none": "A bid above 120 needs no marriage.",
        },
        when=_has_auction,
    ),
    _word(
        "contract_limit",
        "Contracts above 120",
        "What a contract above 120 needs of the hand after the exchange; the bid itself is always allowed.",
        {
            "hand": "A contract above the bid may exceed 120 by the values of the marriages held after the exchange.",
            "marriage": "A contract above the bid and above 120 needs a marriage in hand after the exchange.",
            "none": "A contract above 120 needs no marriage.",
        },
        when=_has_auction,
    ),
    _number(
        "ceiling",
        "Ceiling",
        "No bid and no contract is above it.",
        "No bid and no contract is above %(n)d.",
        low=120,
        usual=(360, 400, 420),
        when=_has_auction,
    ),
    _number(
        "show_marriage_from",
        "Bid that shows a marriage",
        "A bid of at least this shows the cheapest marriage of the bidder.",
        "A bid of %(n)d or more shows all the cheapest marriage of the bidder.",
        low=1,
        off=True,
        usual=(130,),
        says={"null": ""},
        when=_has_auction,
    ),
    _number(
        "dark_bid",
        "Dark bid",
        "Forehand may bid this before seeing his hand.",
        "Forehand may bid %(n)d before seeing his hand; all scores of a deal that is played dark are doubled.",
        low=1,
        off=True,
        usual=(120,),
        says={"null": ""},
    ),
    _flag(
        "golden_deals",
        "Golden deals",
        "The first round of deals is golden: forehand plays 120 without an auction, and all scores are doubled. "
        "A round in which no contract is made is followed by another.",
    ),
    _flag(
        "golden_raise",
        "Raise in golden deals",
        "The contract of a golden deal may exceed 120.",
        "The contract of a golden deal is 120.",
        when=lambda rules: rules.golden_deals,
    ),
    _flag(
        "cut_ritual",
        "Cut",
        "The dealer's right-hand neighbour cuts; three nines in a row cost him 120.",
    ),
    _word(
        "redeal_four_nines",
        "Redeal for four nines",
        "When a player holding four nines may void the deal.",
        {
            "no": "Four nines are no reason for a redeal.",
            "dealt": "A player who is dealt four nines may void the deal.",
            "exchanged": "A player who holds four nines after the exchange may void the deal.",
            "both": "A player who is dealt four nines, or holds them after the exchange, may void the deal.",
        },
    ),
    _number(
        "redeal_below",
        "Redeal for a poor hand",
        "A player dealt fewer card points may void the deal.",
        "A player who is dealt fewer than %(n)d card points may void the deal.",
        usual=(0, 10, 14, 18),
        says={"0": ""},
    ),
    _flag(
        "redeal_barred_by_marriage",
        "No redeal with a marriage",
        "Nobody who holds a marriage may void the deal over his own cards.",
        when=_has_redeal,
    ),
    _flag(
        "redeal_automatic",
        "Automatic redeal",
        "Who is entitled to a redeal has no choice: the deal is void.",
        when=_has_redeal,
    ),
    _number(
        "redeal_talon_below",
        "Redeal for a poor talon",
        "The declarer may void the deal over a poorer talon.",
        "The declarer may void the deal if the talon he took has fewer than %(n)d card points.",
        usual=(0, 5),
        says={"0": ""},
        when=_has_talon,
    ),
    _number(
        "redeal_talon_nines",
        "Redeal for nines in the talon",
        "The declarer may void the deal over a talon with so many nines in it.",
        "The declarer may void the deal over nines in the talon he took, at least: %(n)d.",
        high=24,
        usual=(0, 2),
        says={"0": ""},
        when=_has_talon,
    ),
    _word(
        "talon_reveal",
        "Showing the talon",
        "Whether all see the talon that the declarer took.",
        {
            "always": "All see the talon that the declarer takes, except in a dark deal.",
            "not_at_minimum": "All see the talon that the declarer takes, unless his bid was the compulsory least one.",
            "never": "Only the declarer sees the talon that he takes.",
        },
        when=lambda rules: _has_talon(rules) and not rules.talon_face_up,
    ),
    _word(
        "exchange",
        "Exchange",
        "What the declarer does after taking the talon.",
        {
            "give_each": "The declarer takes the talon and gives one card to each other active player.",
            "give_one": "The declarer takes the talon and gives one card to his opponent.",
            "discard": "The declarer takes the talon and lays as many cards aside, face down; "
            "they go to the last trick.",
            "none": "No cards are exchanged.",
        },
        when=_has_auction,
    ),
    Option(
        "concession",
        "record",
        "Concession",
        "Whether a declarer may give up before the play, and what it costs.",
        {
            "null": "The declarer may not give up.",
            "record": "The declarer may give up before the first card: a concession.",
        },
        off=True,
        when=_has_auction,
    ),
    _word(
        "overtake",
        "Playing higher",
        "Who must beat the trick if able.",
        {
            "all": "Each player must follow suit, with a card that beats the trick if he has one.",
            "second": "Each player must follow suit; the second to play, with a card that beats the trick if he has one.",
            "none": "Each player must follow suit; nobody has to beat the trick.",
        },
    ),
    _word(
        "void",
        "Without the suit led",
        "What a player without the suit led must play.",
        {
            "free": "A player without the suit led plays what he likes.",
            "beat": "A player without the suit led who must beat the trick plays a trump that does; "
            "if he has none, what he likes.",
            "trump": "A player without the suit led must play a trump if he has one, and a higher one "
            "if he must beat the trick.",
        },
    ),
    _word(
        "marriage_lead",
        "Card that melds",
        "Which card of the pair may be led to meld.",
        {
            "queen": "A marriage is melded by leading its queen.",
            "either": "A marriage is melded by leading its king or its queen.",
        },
    ),
    _flag(
        "marriage_first_trick",
        "Marriage on the first trick",
        "A marriage may be melded on the first trick.",
        "No marriage is melded on the first trick.",
    ),
    _word(
        "marriage_announcement",
        "Announcing a marriage",
        "Whether leading a meldable card always melds.",
        {
            "optional": "Who leads a king or queen of a marriage may meld it or keep silent.",
            "automatic": "Who leads a card that can meld a marriage always melds it.",
        },
    ),
    _flag(
        "over_marriage",
        "Over-marriage",
        "A king played right after the right-hand neighbour's queen of the suit may be melded.",
    ),
    _number(
        "ace_marriage",
        "Ace marriage",
        "Value of four aces held, melded by leading an ace.",
        "Four aces in hand are worth %(n)d, melded by leading one after the first trick; its suit becomes trump.",
        usual=(0, 200),
        says={"0": ""},
    ),
    _flag(
        "claim",
        "Claim",
        "The declarer may claim the remaining tricks when they are certain.",
    ),
    _number(
        "rounding",
        "Rounding",
        "Defenders' points are rounded to a multiple.",
        "Defenders' points are rounded to multiples of %(n)d.",
        low=1,
        usual=(1, 5, 10),
        says={"1": "Defenders' points are not rounded."},
    ),
    _word(
        "round_half",
        "Exact halves",
        "Where an exact half goes.",
        {"down": "An exact half is rounded down.", "up": "An exact half is rounded up."},
        when=lambda rules: rules.rounding % 2 == 0,
    ),
    _word(
        "defender_limit",
        "Limit of defenders",
        "What a score gives that would carry a non-declarer to the target.",
        {
            "none": "Anybody may reach the target, a defender too.",
            "cap": "Only the declarer reaches the target: the others stop 10 below it.",
            "skip": "Only the declarer reaches the target: a score that would carry another there is not counted.",
        },
        when=_has_auction,
    ),
    _word(
        "sit_out_bonus",
        "Bonus of the dealer",
        "What a sitting-out dealer scores for the talon.",
        {
            "none": "The dealer who sits out scores nothing.",
            "aces": "The dealer who sits out scores 50 for each ace in the talon, and the marriages in it.",
            "points": "The dealer who sits out scores the card points of the talon, and the marriages in it.",
        },
        when=lambda rules: rules.dealer_sits_out,
    ),
    Option(
        "barrel",
        "record",
        "Barrel",
        "The last stretch before the target has rules of its own.",
        {
            "null": "There is no barrel.",
            "record": "Before the target a player is on the barrel: there he scores as declarer only.",
        },
        off=True,
        when=_has_auction,
    ),
    _number(
        "bolts",
        "Bolts",
        "So many zero scores in a row cost 120.",
        "A defender who scores zero gets a bolt; bolts in a row that cost 120: %(n)d.",
        usual=(0, 3),
        says={"0": ""},
    ),
)

CONCESSION_OPTIONS: Final[tuple[Option, ...]] = (
    _number(
        "concession.upto",
        "Bids that may be conceded",
        "Bids that may be conceded.",
        "He may give up at bids up to %(n)d.",
        words=("forced", "any"),
        low=1,
        says={
            "forced": "He may give up only when his bid was compulsory and stood.",
            "any": "He may give up at any bid.",
        },
    ),
    _number(
        "concession.limit",
        "Concessions a game",
        "Times a game for each player.",
        "Concessions a game for each player: %(n)d.",
        low=1,
        off=True,
        usual=(1, 2),
        says={"null": "He may give up any number of times."},
    ),
    _number(
        "concession.pays",
        "Pay for a concession",
        "What each defender gets: so much, or half of the bid.",
        "Each defender gets %(n)d for it.",
        words=("half",),
        says={"half": "Each defender gets half of the bid for it, rounded up to the step of bids."},
    ),
    _flag(
        "concession.costs_bid",
        "Concession costs the bid",
        "Who gives up loses his bid.",
        "Who gives up loses nothing.",
    ),
    _number(
        "concession.barred_at",
        "No concession from",
        "The total from which it is not allowed.",
        "Nobody with a total of %(n)d or more may give up.",
        off=True,
        usual=(900,),
        says={"null": ""},
    ),
)

BARREL_OPTIONS: Final[tuple[Option, ...]] = (
    _number(
        "barrel.threshold",
        "Threshold of the barrel",
        "The total from which a player is on the barrel.",
        "The barrel begins at %(n)d.",
        low=1,
        high=100_000,
    ),
    _flag(
        "barrel.clamp",
        "Set to the threshold",
        "A total that reaches the threshold is set to it.",
    ),
    _number(
        "barrel.min_contract",
        "Contract that finishes",
        "The contract that a player on the barrel must make to finish.",
        "To finish, a player on the barrel must make a contract of at least %(n)d.",
        says={"0": ""},
    ),
    _flag(
        "barrel.needs_marriage",
        "Marriage to finish",
        "To finish, a player on the barrel must have held a marriage.",
    ),
    _number(
        "barrel.attempts",
        "Attempts",
        "Deals before a player falls off the barrel.",
        "Deals on the barrel: %(n)d. A contract that fails there costs nothing; after the last of them "
        "the player falls and loses what he last played for.",
        low=1,
        off=True,
        usual=(3,),
        says={"null": "A contract that fails on the barrel costs its value as usual."},
    ),
    _number(
        "barrel.falls",
        "Falls",
        "Falls that set the total to 0.",
        "Falls from the barrel that set the total to 0: %(n)d.",
        low=1,
        off=True,
        usual=(3,),
        says={"null": ""},
        when=lambda rules: rules.barrel is not None and rules.barrel.attempts is not None,
    ),
)


def check_record(name: str, value: object, options: tuple[Option, ...], kind: type) -> None:
    """Check the fields of a concession or a barrel. Raises RuleSetError naming the field."""
    if not isinstance(value, kind):
        raise RuleSetError(name, f"{shown(value)} is neither null nor a record")
    for option in options:
        option.check(getattr(value, option.name.partition(".")[2]))
