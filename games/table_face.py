"""Everything the page of a table shows, from what a seat was told: its view, its legal actions, the names, the events.

Pure but for translations, frozen values out. What a person can press is in ``controls`` (games.table_controls), who sits
where in ``seats`` (games.table_seats), what happened in ``lines`` (games.table_events).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from engine import RuleSet
from engine.cards import RANK_POINTS, RANKS
from engine.why_play import winning
from games.faces import Card, cards
from games.table_controls import Controls, controls, receiver
from games.table_events import Line, lines, moved
from games.table_seats import SeatFace, active, reader, seats, turn
from games.table_words import TALONS, call

SORTINGS: Final = {"suit": "SCDH", "alternating": "SDCH"}
"""Orders of the suits in the own hand: as the rules name them, or dark and bright in turn."""


@dataclass(frozen=True)
class TableCard:
    """A card in the middle: who played it, where that seat sits, whether it wins the trick, leads it, melds."""

    card: Card
    seat: int
    place: str
    name: str
    wins: bool
    leads: bool
    melds: bool


@dataclass(frozen=True)
class Trick:
    """Cards of a trick in the order they were played; ``winner`` is "" while it is open."""

    cards: tuple[TableCard, ...]
    winner: str
    points: int


@dataclass(frozen=True)
class TalonFace:
    """A talon: its cards where they may be seen, else how many; ``title`` tells two apart."""

    title: str
    cards: tuple[Card, ...]
    hidden: int

    @property
    def backs(self) -> range:
        """As many as lie face down."""
        return range(self.hidden)


@dataclass(frozen=True)
class Face:
    """The whole table; ``seats`` has the own seat first, ``trump`` is the suit's letter or "".

    ``deals`` is how many deals there are where their number ends the match, as in a block of an event, else 0.
    """

    deal: int
    deals: int
    target: int
    phase: str
    prompt: str
    your_turn: bool
    leads: bool
    multiplier: int
    trump: str
    seats: tuple[SeatFace, ...]
    controls: Controls
    dark: bool
    talons: tuple[TalonFace, ...]
    stock: int
    trick: Trick | None
    last_trick: Trick | None
    auction: tuple[tuple[str, ...], ...]
    bidders: tuple[str, ...]
    received: tuple[Card, ...]
    gone: tuple[Card, ...]
    lines: tuple[Line, ...]

    @property
    def you(self) -> SeatFace:
        """The own seat."""
        return self.seats[0]

    @property
    def others(self) -> tuple[SeatFace, ...]:
        """The other seats, clockwise from the left."""
        return self.seats[1:]


def face(
    rules: RuleSet,
    view: Mapping[str, Any],
    legal: Sequence[str],
    names: Sequence[str],
    *,
    events: Sequence[Mapping[str, Any]] = (),
    chosen: str = "",
    sorting: str = "suit",
    away: Sequence[bool] = (),
) -> Face:
    """The table as ``view["you"]`` sees it; ``legal`` is empty when that seat has nothing to decide.

    ``events`` are the seat's, of this deal at least; ``chosen`` is the card to be given, before it is sent; ``sorting`` a
    key of :data:`SORTINGS`; ``away`` says by seat whether a house bot stands in.
    """
    hand = sorted_hand(view["hand"] or (), sorting)
    picked = chosen if chosen in hand else ""
    shown = seats(rules, view, names, asked=bool(legal), away=away, gone=moved(events))
    places = {one.seat: one for one in shown}
    buttons = controls(rules, view, legal, names, hand=hand, chosen=picked)
    order = active(view)
    return Face(
        deal=view["deal"] + 1,
        deals=rules.deal_limit if "deal_limit" in rules.changed else 0,
        target=rules.target,
        phase=view["phase"],
        prompt=_prompt(view, legal, names),
        your_turn=bool(legal),
        leads=bool(legal) and view["phase"] == "play" and not view["trick"],
        multiplier=view["multiplier"],
        trump=view["trump"] or "",
        seats=shown,
        controls=buttons,
        dark=view["hand"] is None,
        talons=tuple(_talons(rules, view)),
        stock=view["stock"],
        trick=_trick(view["trick"], view["trump"], places, "") if view["trick"] else None,
        last_trick=_last_trick(view, places),
        auction=tuple(_rounds(rules, view["auction"], order)),
        bidders=tuple(names[seat] for seat in order),
        received=cards(view["received"]),
        gone=cards([*(card for _seat, card in view["given"]), *view["discarded"]]),
        lines=lines(rules, names, events, reader(view)),
    )


def sorted_hand(hand: Sequence[str], sorting: str = "suit") -> list[str]:
    """A hand by suit, each suit from high to low; an unknown ``sorting`` is the usual one."""
    suits = SORTINGS.get(sorting, SORTINGS["suit"])
    return sorted(hand, key=lambda card: (suits.index(card[1]), -RANKS.index(card[0])))


def _prompt(view: Mapping[str, Any], legal: Sequence[str], names: Sequence[str]) -> str:
    """What is asked now, or whom the table waits for."""
    if not legal:
        waits = turn(view)
        if waits is None or waits == view["you"]:
            return _("A moment, please.")
        return _("Now: %(name)s") % {"name": names[waits]}
    phase = view["phase"]
    if phase == "exchange":
        return _exchange(view, legal, names)
    if phase == "play":
        return _("You lead. Play any card.") if not view["trick"] else _("Your turn. Play a card.")
    if phase == "auction":
        return _bidding(view, names)
    return {
        "dark": _("Bid before you see your cards?"),
        "redeal": _("Your cards are weak: you may ask for a new deal."),
        "talon": _("Choose a talon."),
        "contract": _("How many points will you play for?"),
    }[phase]


def _bidding(view: Mapping[str, Any], names: Sequence[str]) -> str:
    if view["bid"] is None:
        return _("Your bid: how many points will you make?")
    leader = next(seat for seat, action in reversed(view["auction"]) if action != "pass")
    return _("Bid more than %(bid)s (%(name)s), or pass.") % {"bid": view["bid"], "name": names[leader]}


def _exchange(view: Mapping[str, Any], legal: Sequence[str], names: Sequence[str]) -> str:
    if any(action.startswith("give:") for action in legal):
        return _("Choose a card for: %(name)s") % {"name": names[receiver(view)]}
    left = len(view["hand"]) - len(view["dealt"])
    return _("Choose a card to put away (%(n)s left).") % {"n": left}


def _talons(rules: RuleSet, view: Mapping[str, Any]) -> list[TalonFace]:
    """The talons as long as they matter: face down, face up, or just taken; a taken one is gone when the play begins."""
    if view["phase"] == "play" or not rules.talons:
        return []
    seen = view["talon"]
    if seen and not isinstance(seen[0], str):
        return [TalonFace(_title(number), cards(talon), 0) for number, talon in enumerate(seen)]
    if seen is not None:
        return [TalonFace(_("Talon"), cards(seen), 0)]
    if view["phase"] in ("exchange", "contract"):
        return []
    several = len(rules.talons) > 1
    return [
        TalonFace(_title(number) if several else _("Talon"), (), width)
        for number, width in enumerate(rules.talons)
    ]


def _title(number: int) -> str:
    return str(TALONS[number]).capitalize()


def _trick(
    played: Sequence[Sequence[Any]],
    trump: str | None,
    places: Mapping[int, SeatFace],
    winner: str,
    melds: Sequence[str] = (),
) -> Trick:
    best = winning(played, trump)
    shown = tuple(
        TableCard(
            Card(card), seat, places[seat].place, places[seat].name, card == best, number == 0, card in melds
        )
        for number, (seat, card) in enumerate(played)
    )
    return Trick(shown, winner, sum(RANK_POINTS[RANKS.index(card[0])] for _seat, card in played))


def _last_trick(view: Mapping[str, Any], places: Mapping[int, SeatFace]) -> Trick | None:
    if not view["tricks"]:
        return None
    last = view["tricks"][-1]
    # The winner is known; the trump that was valid then may not be the one of now.
    taken = next(card for seat, card in last["cards"] if seat == last["winner"])
    return _trick(last["cards"], taken[1], places, places[last["winner"]].name, last["meld"])


def _rounds(rules: RuleSet, calls: Sequence[Sequence[Any]], order: Sequence[int]) -> list[tuple[str, ...]]:
    """The auction round by round, a cell for each active seat from forehand."""
    rounds: list[list[str]] = []
    last = len(order)
    for seat, action in calls:
        place = order.index(seat)
        if place <= last:
            rounds.append([""] * len(order))
        rounds[-1][place], last = call(rules, action), place
    return [tuple(row) for row in rounds]
