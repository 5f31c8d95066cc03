"""The steps of a deal as a page shows them: the moments of :mod:`games.moments` with names and words.

Pure but for translations, which follow the active language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from engine import RuleSet
from games import moments
from games.moments import Moment, Zone
from games.table_words import call, card_to, said

FEW: Final = 5
"""Up to so many bids or contracts are listed; more are told as a range."""

TITLES: Final = {
    "give": gettext_lazy("Exchange"),
    "discard": gettext_lazy("Exchange"),
    "contract": gettext_lazy("Contract"),
    "talon": gettext_lazy("Choice of the talon"),
    "look": gettext_lazy("Before the cards are seen"),
    "dark": gettext_lazy("Before the cards are seen"),
    "bid": gettext_lazy("Auction"),
    "pass": gettext_lazy("Auction"),
    "redeal": gettext_lazy("A new deal?"),
}
"""What is decided before the play, by the first of these verbs that can be answered."""


@dataclass(frozen=True)
class Told:
    """What was done, for views that saw all of it (``seen``; empty: everybody), and what the others were told."""

    text: str
    hidden: str
    seen: tuple[str, ...]


@dataclass(frozen=True)
class Option:
    """Something that could be done besides playing a card."""

    text: str
    taken: bool


@dataclass(frozen=True)
class SeatRow:
    """A seat at a moment: its cards (None: it sits out), its last word of the auction, its points in this deal."""

    seat: int
    name: str
    hand: Zone | None
    call: str
    points: int
    decides: bool
    declarer: bool
    dealer: bool


@dataclass(frozen=True)
class StepRow:
    """One step; ``anchor`` is where a link to it leads on the match's page ("d3t5s1", "d3" before the play)."""

    number: int
    anchor: str
    title: str
    told: Told | None
    options: tuple[Option, ...]
    options_seen: tuple[str, ...]
    seats: tuple[SeatRow, ...]
    moment: Moment


def step_rows(record: Mapping[str, Any], number: int) -> tuple[StepRow, ...]:
    """The steps of deal ``number`` (from 1); none of a deal that there is not. Raises RecordError."""
    found = moments.of_record(record, number)
    rules = RuleSet.from_json(record["rules"])
    names = [str(seat["name"]) for seat in record["seats"]]
    dealer = record["deals"][number - 1]["dealer"] if found else 0
    return tuple(_row(moment, number, dealer, rules, names) for moment in found)


def neighbours(steps: Sequence[StepRow], number: int) -> dict[str, int]:
    """Numbers of the steps that a reader can go to from ``number``: "back", "on", "trick_back", "trick_on".

    The auction and what else comes before the play counts as a trick of its own, the end of the deal too.
    """
    starts = [
        step.number
        for before, step in zip([None, *steps], steps, strict=False)
        if before is None or before.moment.trick != step.moment.trick
    ]
    return {
        "back": max(1, number - 1),
        "on": min(len(steps), number + 1),
        "trick_back": max((start for start in starts if start < number), default=1),
        "trick_on": min((start for start in starts if start > number), default=len(steps)),
    }


def _row(moment: Moment, deal: int, dealer: int, rules: RuleSet, names: Sequence[str]) -> StepRow:
    anchor = f"d{deal}" if moment.trick is None else f"d{deal}t{moment.trick}s{moment.seat}"
    return StepRow(
        number=moment.number,
        anchor=anchor,
        title=_title(moment),
        told=_told(moment, rules, names),
        options=tuple(_options(moment, rules)),
        options_seen=() if moment.seat is None else (str(moment.seat),),
        seats=tuple(
            SeatRow(
                seat=seat,
                name=name,
                hand=moment.hands[seat],
                call=call(rules, moment.calls[seat]),
                points=moment.points[seat],
                decides=seat == moment.seat,
                declarer=seat == moment.declarer,
                dealer=seat == dealer,
            )
            for seat, name in enumerate(names)
        ),
        moment=moment,
    )


def _title(moment: Moment) -> str:
    if moment.seat is None:
        return _("End of the deal")
    if moment.trick is not None:
        return _("Trick %(number)d") % {"number": moment.trick}
    verbs = [action.partition(":")[0] for action in moment.legal]
    return str(next((title for verb, title in TITLES.items() if verb in verbs), TITLES["redeal"]))


def _told(moment: Moment, rules: RuleSet, names: Sequence[str]) -> Told | None:
    if moment.seat is None:
        return None
    name, verb = names[moment.seat], moment.action.partition(":")[0]
    if moment.receiver is not None:
        receiver, card = names[moment.receiver], moment.action.partition(":")[2]
        seen = (str(moment.seat), str(moment.receiver))
        return Told(card_to(name, receiver, card), card_to(name, receiver, ""), seen)
    text = f"{name}: {said(rules, moment.action)}"
    if verb == "discard":
        return Told(text, f"{name}: {said(rules, verb)}", (str(moment.seat),))
    if verb == "keep":
        return Told(text, "", (str(moment.seat),))
    return Told(text, text, ())


def _options(moment: Moment, rules: RuleSet) -> Iterable[Option]:
    """Legal actions that are no card to be lit; melds are, with what they bring."""
    numbers = [action for action in moment.legal if action.startswith(("bid:", "contract:"))]
    for action in moment.legal:
        if action in numbers or action.startswith(("play:", "give:", "discard:")):
            continue
        yield Option(said(rules, action), action == moment.action)
    if len(numbers) > FEW:
        least, most = (action.partition(":")[2] for action in (numbers[0], numbers[-1]))
        yield Option(_("%(least)s to %(most)s") % {"least": least, "most": most}, moment.action in numbers)
    else:
        for action in numbers:
            yield Option(action.partition(":")[2], action == moment.action)
