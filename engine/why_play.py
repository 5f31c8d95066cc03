"""Why a card may not be played, or not melded (rules.md section 5), from the seat's own view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.cards import RANKS
from engine.reason import Reason
from engine.ruleset import RuleSet

SUIT_WORDS: Final = {"S": "spades", "C": "clubs", "D": "diamonds", "H": "hearts"}
ACE_MARRIAGE: Final = "A"
"""The kind of an ace marriage in a view's ``melds``."""


def play_reason(
    rules: RuleSet, view: Mapping[str, Any], legal: Sequence[str], verb: str, card: str
) -> Reason:
    """Why ``play:`` or ``meld:`` ``card`` is not legal."""
    if card not in view["hand"]:
        mine = [own for trick in view["tricks"] for seat, own in trick["cards"] if seat == view["you"]]
        gone = f"you have played {card} already" if card in mine else f"you do not hold {card}"
        return Reason("not_held", gone)
    plays = [text.partition(":")[2] for text in legal if text != "claim"]
    if card not in plays:
        return _follower(rules, view, plays[0], card)
    if verb == "play":
        text = f"at this table {card} cannot be played here without melding: meld:{card}"
        return Reason("automatic_meld", text, card, "marriage_announcement")
    return _meld(rules, view, card)


def claim_reason(rules: RuleSet, view: Mapping[str, Any]) -> Reason:
    """Why the rest cannot be claimed (R33)."""
    if not rules.claim:
        return Reason("claim", "there is no claiming at this table", option="claim")
    if view["you"] != view["declarer"]:
        return Reason("claim", "only the declarer claims")
    if view["trick"]:
        return Reason("claim", "the rest is claimed by the leader, before a card of the trick is played")
    return Reason("claim", "it is not certain from what you know that every trick left is yours")


def _follower(rules: RuleSet, view: Mapping[str, Any], held: str, card: str) -> Reason:
    """R4 to R7: follow suit, beat, trump; ``held`` is a legal card."""
    trump = view["trump"]
    best, led = winning(view["trick"], trump), view["trick"][0][1][1]
    suit = SUIT_WORDS[led]
    if held[1] == led and card[1] != led:
        return Reason("follow", f"{suit} were led and you hold {held}", held)
    if held[1] == led:
        return Reason(
            "overtake", f"{best} wins the trick so far, you hold {held} and must beat it", held, "overtake"
        )
    if rules.void == "trump" and card[1] != trump:
        text = f"{suit} were led, you hold none and must trump: {SUIT_WORDS[trump]} are trump and you hold {held}"
        return Reason("trump", text, held, "void")
    text = (
        f"{suit} were led and you hold none: {best} wins the trick so far, you hold {held} and must beat it"
    )
    return Reason("overtake", text, held, "void" if rules.void == "beat" else "overtake")


def winning(trick: Sequence[Sequence[Any]], trump: str | None) -> str:
    """The card that wins a trick so far."""

    def strength(card: str) -> tuple[bool, bool, int]:
        return card[1] == trump, card[1] == trick[0][1][1], RANKS.index(card[0])

    return max((str(card) for _, card in trick), key=strength)


def _meld(rules: RuleSet, view: Mapping[str, Any], card: str) -> Reason:  # noqa: PLR0911 - one line a rule
    """R8 to R11, R28: why a card that may be played melds nothing."""
    if view["trick"]:
        over = ", or with the king right after the neighbour's queen" if rules.over_marriage else ""
        return Reason(
            "meld", f"a marriage is melded by leading one of its cards{over}; play:{card} is legal", card
        )
    rank, suit = card[0], SUIT_WORDS[card[1]]
    if rank == "A":
        return _aces(rules, view, card)
    if rank not in "KQ":
        return Reason("meld", f"a marriage is the king and the queen of a suit, and {card} is neither")
    if any(kind == card[1] for _, kind, _ in view["melds"]):
        return Reason("meld", f"the marriage of {suit} was melded before")
    other = ("Q" if rank == "K" else "K") + card[1]
    if other not in view["hand"]:
        return Reason("meld", f"a marriage needs both cards, and you do not hold {other}")
    if rank == "K" and rules.marriage_lead == "queen":
        return Reason("meld", f"a marriage is melded by leading its queen: {other}", other, "marriage_lead")
    return Reason("meld", "nothing is melded in the first trick", option="marriage_first_trick")


def _aces(rules: RuleSet, view: Mapping[str, Any], card: str) -> Reason:
    if not rules.ace_marriage:
        return Reason("meld", f"aces are no marriage at this table: play:{card}", card, "ace_marriage")
    if any(kind == ACE_MARRIAGE for _, kind, _ in view["melds"]):
        return Reason("meld", "the four aces were melded before")
    missing = [ace for ace in ("AS", "AC", "AD", "AH") if ace not in view["hand"]]
    if missing:
        return Reason("meld", f"melding aces needs all four, and you do not hold {missing[0]}")
    return Reason("meld", "nothing is melded in the first trick")
