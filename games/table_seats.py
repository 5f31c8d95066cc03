"""Who sits where at the table, and what stands beside each name: calls, contract, what is still needed, barrel, bolts.

Pure but for translations: reads a view (protocol.md section 4), which never holds a card that the seat may not see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from engine import RuleSet
from engine.cards import PACK
from games.faces import SIGNS
from games.table_words import call

PLACES: Final = {1: (), 2: ("across",), 3: ("left", "right"), 4: ("left", "across", "right")}
"""Where the others sit, clockwise from the own left, by seats at the table."""
SETTLED: Final = frozenset({"contract", "play", "over"})
"""Phases in which the exchange is over and all active hands are equally long."""


@dataclass(frozen=True)
class Badge:
    """A short label; ``kind`` is its tone: plain, info, good, bad, warn."""

    text: str
    kind: str = "plain"
    title: str = ""


@dataclass(frozen=True)
class SeatFace:
    """One seat: ``place`` is left, across, right or you; ``points`` are those of the deal so far."""

    seat: int
    name: str
    place: str
    cards: int
    total: int
    points: int
    turn: bool
    sits_out: bool
    away: bool
    badges: tuple[Badge, ...]

    @property
    def backs(self) -> range:
        """As many as the seat holds cards."""
        return range(self.cards)


def distinct(names: Sequence[str]) -> list[str]:
    """Names that tell seats apart: those that sit there more than once get a number."""
    return [
        f"{name} {names[: seat + 1].count(name)}" if names.count(name) > 1 else name
        for seat, name in enumerate(names)
    ]


def active(view: Mapping[str, Any]) -> list[int]:
    """The seats that play this deal, from forehand."""
    order = [(view["dealer"] + step) % view["seats"] for step in range(1, view["seats"] + 1)]
    return [seat for seat in order if seat != view["sitting_out"]]


def turn(view: Mapping[str, Any]) -> int | None:
    """Whose decision is awaited as far as everybody can know; a secret question shows as the phase after it."""
    order, phase = active(view), view["phase"]
    if phase == "dark":
        return order[0]
    if phase == "auction":
        return _next_bidder(view, order)
    if phase == "play":
        if not view["trick"]:
            return int(view["leader"])
        return order[(order.index(view["trick"][-1][0]) + 1) % len(order)]
    declarer: int | None = view["declarer"]
    return None if phase == "over" else declarer


def _next_bidder(view: Mapping[str, Any], order: Sequence[int]) -> int:
    calls = view["auction"]
    if not calls:
        return order[0]
    passed = {seat for seat, action in calls if action == "pass"}
    at = order.index(calls[-1][0])
    following = [*order[at + 1 :], *order[:at]]
    return next((seat for seat in following if seat not in passed), order[0])


def seats(
    rules: RuleSet,
    view: Mapping[str, Any],
    names: Sequence[str],
    *,
    asked: bool,
    away: Sequence[bool] = (),
    gone: int = 0,
) -> tuple[SeatFace, ...]:
    """All seats, the own one first, then clockwise. ``asked``: the own seat decides.

    ``gone`` is how many cards the declarer has given or put away so far, which a view tells the declarer alone.
    """
    you: int = view["you"]
    now = you if asked else turn(view)
    places = ("you", *PLACES[view["seats"]])
    return tuple(
        SeatFace(
            seat=seat,
            name=names[seat],
            place=place,
            cards=hand_length(rules, view, seat, gone),
            total=view["totals"][seat],
            points=view["points"][seat],
            turn=seat == now,
            sits_out=seat == view["sitting_out"],
            away=bool(away) and away[seat],
            badges=tuple(_badges(rules, view, seat, away=bool(away) and away[seat])),
        )
        for place, seat in (
            (place, (view["you"] + step) % view["seats"]) for step, place in enumerate(places)
        )
    )


def hand_length(rules: RuleSet, view: Mapping[str, Any], seat: int, gone: int = 0) -> int:
    """How many cards a seat holds, from what everybody knows (``gone`` as for :func:`seats`)."""
    order, phase = active(view), view["phase"]
    if seat not in order:
        return 0
    if phase in SETTLED or (phase == "redeal" and view["declarer"] is not None):
        played = sum(1 for trick in view["tricks"] for who, _card in trick["cards"] if who == seat)
        played += sum(1 for who, _card in view["trick"] if who == seat)
        stock = PACK - len(order) * rules.hand_size - sum(rules.talons)
        drawn: int = (stock - view["stock"]) // len(order)
        return rules.hand_size + (rules.exchange in ("give_each", "give_one")) + drawn - played
    if phase != "exchange":
        return rules.hand_size
    if seat == view["declarer"]:
        return rules.hand_size + rules.talons[0] - gone
    to_the_left = (seat - view["declarer"]) % view["seats"]
    before = sum(1 for step in range(1, to_the_left) if (view["declarer"] + step) % view["seats"] in order)
    return rules.hand_size + (rules.exchange != "discard" and before < gone)


def reader(view: Mapping[str, Any]) -> int | None:
    """The seat that is called "you"; None for a view that is drawn from nobody's seat (``watched``)."""
    return None if view.get("watched") else view["you"]


def _badges(rules: RuleSet, view: Mapping[str, Any], seat: int, *, away: bool) -> list[Badge]:
    found = []
    if away:
        found.append(Badge(_("away"), "warn", _("A house bot plays on for this seat.")))
    if seat == view["sitting_out"]:
        found.append(Badge(_("you sit out") if seat == reader(view) else _("sits out"), "plain"))
    elif seat == view["dealer"]:
        found.append(Badge(_("dealer"), "plain"))
    found += _auction(rules, view, seat)
    found += _contract(view, seat)
    shows = _("you show %(suit)s") if seat == reader(view) else _("shows %(suit)s")
    found += [
        Badge(
            shows % {"suit": SIGNS.get(suit, "AAAA")},
            "info",
            _("Has shown a marriage for the bid."),
        )
        for who, suit in view["shown_marriages"]
        if who == seat
    ]
    found += _standing(rules, view, seat)
    return found


def _auction(rules: RuleSet, view: Mapping[str, Any], seat: int) -> list[Badge]:
    """The last call of a seat, as long as the auction goes on."""
    if view["phase"] != "auction":
        return []
    calls = [action for who, action in view["auction"] if who == seat]
    return [Badge(call(rules, calls[-1]), "plain" if calls[-1] == "pass" else "info")] if calls else []


def _contract(view: Mapping[str, Any], seat: int) -> list[Badge]:
    if seat != view["declarer"]:
        return []
    own = seat == reader(view)
    if view["contract"] is None:
        words = _("you won the auction at %(bid)s") if own else _("won the auction at %(bid)s")
        return [Badge(words % {"bid": view["bid"]}, "info")] if view["bid"] else []
    words = _("you play for %(contract)s") if own else _("plays %(contract)s")
    found = [Badge(words % {"contract": view["contract"]}, "info", _("The declarer."))]
    needed = view["contract"] - view["points"][seat]
    if view["phase"] != "play":
        return found
    if needed > 0:
        words = _("you need %(points)s") if own else _("needs %(points)s")
        return [*found, Badge(words % {"points": needed}, "warn", _("Points still to make."))]
    return [*found, Badge(_("you made it") if own else _("made it"), "good")]


def _standing(rules: RuleSet, view: Mapping[str, Any], seat: int) -> list[Badge]:
    """Barrel and bolts."""
    found = []
    if view["barrel"] is not None and view["barrel"][seat]["on"]:
        barrel, attempts = rules.barrel, view["barrel"][seat]["attempts"]
        assert barrel is not None
        text = _("barrel")
        if barrel.attempts is not None:
            text = _("barrel, try %(n)s of %(most)s") % {"n": attempts + 1, "most": barrel.attempts}
        found.append(Badge(text, "warn", _("Close to the end: only an own made contract counts now.")))
    if rules.bolts and view["bolts"][seat]:
        text = _("bolts: %(n)s of %(most)s") % {"n": view["bolts"][seat], "most": rules.bolts}
        found.append(Badge(text, "warn", _("Deals in a row without a point; the last one costs 120.")))
    return found
