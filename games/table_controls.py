"""What a person can press at the table: every legal action through exactly one control, and nothing that is not legal.

Pure but for translations. A control carries the action's text as the protocol writes it; the page only sends it back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from engine import RuleSet
from engine.exchange import Conceding
from games.faces import Card, short
from games.table_words import TALONS, meld_name, meld_value, why_no_more, why_not_card

TWO_TAPS: Final = frozenset({"give", "discard"})
"""Cards of these actions are chosen first and sent with a second tap, so that they can be taken back."""


@dataclass(frozen=True)
class Button:
    """One action as a button; ``tone`` is main, plain or grave (asked again before it is sent).

    ``hint`` says what it does; ``key`` is the letter that presses it.
    """

    action: str
    label: str
    tone: str = "plain"
    hint: str = ""
    key: str = ""


@dataclass(frozen=True)
class Stepper:
    """A number to choose: ``verb`` is bid or contract, ``values`` are legal and go upwards; ``cap`` says why no more."""

    verb: str
    values: tuple[int, ...]
    title: str
    submit: str
    cap: str

    @property
    def least(self) -> int:
        """The lowest value."""
        return self.values[0]

    @property
    def most(self) -> int:
        """The highest value."""
        return self.values[-1]


@dataclass(frozen=True)
class HandCard:
    """A card of the own hand.

    ``action`` is what a tap does ("" for none); with ``two_taps`` the tap only chooses. ``reason`` says why it cannot be
    played. ``melds`` are words where the tap itself melds; ``meld`` is the separate button where melding is a choice.
    """

    card: Card
    action: str = ""
    two_taps: bool = False
    chosen: bool = False
    reason: str = ""
    melds: str = ""
    meld: Button | None = None

    @property
    def state(self) -> str:
        """How the card is drawn (cards.css): chosen, lit, dimmed or plain."""
        if self.action:
            return "chosen" if self.chosen else "lit"
        return "dimmed" if self.reason else ""

    @property
    def words(self) -> str:
        """What a person must know of it, read after its name: "playable, meld 100"."""
        said = []
        if self.action:
            said.append(_("chosen") if self.chosen else _("playable") if not self.two_taps else "")
        said += [self.melds or (self.meld.label if self.meld else ""), self.reason]
        return ", ".join(part for part in said if part)

    @property
    def spoken(self) -> str:
        """Its name and the words: "ten of hearts, playable"."""
        return ", ".join(part for part in (self.card.name, self.words) if part)


@dataclass(frozen=True)
class Controls:
    """Everything that can be pressed: cards, buttons, at most one stepper; ``confirm`` sends the chosen card."""

    hand: tuple[HandCard, ...]
    buttons: tuple[Button, ...] = ()
    stepper: Stepper | None = None
    confirm: Button | None = None

    @property
    def two_taps(self) -> bool:
        """Whether cards are chosen first and sent by ``confirm``."""
        return any(card.two_taps for card in self.hand)

    @property
    def reasons(self) -> list[str]:
        """Why cards of the hand cannot be played, each reason once."""
        return list(dict.fromkeys(card.reason for card in self.hand if card.reason))

    def actions(self) -> list[str]:
        """The action of every control, each as often as it can be reached (``confirm`` is a card's second tap)."""
        cards = [card.action for card in self.hand if card.action]
        melds = [card.meld.action for card in self.hand if card.meld]
        steps = [f"{self.stepper.verb}:{value}" for value in self.stepper.values] if self.stepper else []
        return cards + melds + [button.action for button in self.buttons] + steps


def controls(
    rules: RuleSet,
    view: Mapping[str, Any],
    legal: Sequence[str],
    names: Sequence[str],
    *,
    hand: Sequence[str],
    chosen: str = "",
) -> Controls:
    """The controls for ``legal``; ``hand`` are the cards in the order to be shown, ``chosen`` one of them or ""."""
    shown = tuple(_card(rules, view, legal, card, chosen) for card in hand)
    numbers = {verb: _numbers(legal, verb) for verb in ("bid", "contract")}
    stepper = next((_stepper(rules, verb, values) for verb, values in numbers.items() if values), None)
    buttons = tuple(_button(rules, view, action) for action in legal if ":" not in action)
    talons = tuple(
        Button(action, str(TALONS[int(action[6:])]).capitalize(), "main")
        for action in legal
        if action.startswith("talon:")
    )
    picked = next((card for card in shown if card.chosen), None)
    return Controls(shown, talons + buttons, stepper, _confirm(view, names, picked))


def receiver(view: Mapping[str, Any]) -> int:
    """Who gets the next card that the declarer gives: the active seats from his left (rules.md 4, exchange)."""
    seat = view["declarer"]
    for _step in range(len(view["given"]) + 1):
        seat = (seat + 1) % view["seats"]
        if seat == view["sitting_out"]:
            seat = (seat + 1) % view["seats"]
    return int(seat)


def _numbers(legal: Sequence[str], verb: str) -> tuple[int, ...]:
    return tuple(int(text.partition(":")[2]) for text in legal if text.startswith(verb + ":"))


def _card(rules: RuleSet, view: Mapping[str, Any], legal: Sequence[str], card: str, chosen: str) -> HandCard:
    for verb in sorted(TWO_TAPS):
        if f"{verb}:{card}" in legal:
            return HandCard(Card(card), f"{verb}:{card}", two_taps=True, chosen=card == chosen)
    play, meld = f"play:{card}", f"meld:{card}"
    words = _("meld %(value)s") % {"value": meld_value(rules, card)}
    if meld in legal and play not in legal:
        return HandCard(Card(card), meld, melds=words)
    if play in legal:
        title = _("%(marriage)s, worth %(value)s") % {
            "marriage": meld_name(card),
            "value": meld_value(rules, card),
        }
        button = Button(meld, words, "main", title) if meld in legal else None
        return HandCard(Card(card), play, meld=button)
    if view["phase"] == "play" and legal and view["trick"]:
        return HandCard(Card(card), reason=why_not_card(rules, view, legal, card))
    return HandCard(Card(card))


def _stepper(rules: RuleSet, verb: str, values: tuple[int, ...]) -> Stepper:
    cap = why_no_more(rules, verb, values[-1])
    if verb == "bid":
        return Stepper(verb, values, _("Your bid"), _("Bid"), cap)
    return Stepper(verb, values, _("Your contract"), pgettext("contract", "Play"), cap)


def _confirm(view: Mapping[str, Any], names: Sequence[str], picked: HandCard | None) -> Button | None:
    if picked is None:
        return None
    card = short([picked.card.text])
    if picked.action.startswith("give:"):
        label = _("Give %(card)s to: %(name)s") % {"card": card, "name": names[receiver(view)]}
    else:
        label = _("Put %(card)s away") % {"card": card}
    return Button(picked.action, label, "main")


def _button(rules: RuleSet, view: Mapping[str, Any], action: str) -> Button:
    if action == "concede":
        return Button(action, _("Give up this deal"), "grave", _concession(rules, view))
    if action == "dark":
        hint = _("Without seeing your cards. If you stay the declarer, every score of the deal is doubled.")
        return Button(action, _("Bid %(bid)s dark") % {"bid": rules.dark_bid}, "plain", hint, "D")
    if action == "redeal":
        return Button(
            action, _("Ask for a new deal"), "plain", _("The cards are dealt again; nobody scores.")
        )
    plain = {
        "keep": Button(action, _("Play on"), "main"),
        "look": Button(action, _("Look at my cards"), "main"),
        "pass": Button(action, _("Pass"), "plain", _("You are out of this auction."), "P"),
        "claim": Button(
            action, _("Take the rest"), "main", _("Nobody can take a trick from you any more."), "C"
        ),
    }
    return plain[action]


def _concession(rules: RuleSet, view: Mapping[str, Any]) -> str:
    """What giving up costs, in points of this deal."""
    conceding, times = Conceding(rules), view["multiplier"]
    pays = conceding.pays(view["bid"]) * times
    costs = conceding.costs(view["bid"]) * times
    if costs:
        return _("No card is played. You lose %(costs)s; each opponent gets %(pays)s.") % {
            "costs": costs,
            "pays": pays,
        }
    return _("No card is played. You lose nothing; each opponent gets %(pays)s.") % {"pays": pays}
