"""What a table says to the person at it: why a card may not be played, what happened, who is what.

Pure but for translations, which follow the active language. Sentences that name a suit are whole ones, one a suit, and
who acts stands before a colon, so that no language has to bend a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from engine import RuleSet
from engine.cards import MARRIAGE_VALUE, RANKS, SUITS
from engine.why import why_not
from engine.why_play import winning
from games.faces import Card, short

FOLLOW: Final[Mapping[str, Promise]] = {
    "S": gettext_lazy("You must follow spades."),
    "C": gettext_lazy("You must follow clubs."),
    "D": gettext_lazy("You must follow diamonds."),
    "H": gettext_lazy("You must follow hearts."),
}
TRUMP: Final[Mapping[str, Promise]] = {
    "S": gettext_lazy("You must play a trump: spades."),
    "C": gettext_lazy("You must play a trump: clubs."),
    "D": gettext_lazy("You must play a trump: diamonds."),
    "H": gettext_lazy("You must play a trump: hearts."),
}
MARRIAGES: Final[Mapping[str, Promise]] = {
    "S": gettext_lazy("marriage of spades"),
    "C": gettext_lazy("marriage of clubs"),
    "D": gettext_lazy("marriage of diamonds"),
    "H": gettext_lazy("marriage of hearts"),
    "A": gettext_lazy("four aces"),
}
TALONS: Final = (gettext_lazy("first talon"), gettext_lazy("second talon"))


def why_not_card(rules: RuleSet, view: Mapping[str, Any], legal: Sequence[str], card: str) -> str:
    """Why ``card`` of the own hand cannot be played now: "You must follow diamonds."; engine.why knows the rule."""
    reason = why_not(rules, view, legal, f"play:{card}")
    if reason.rule == "follow":
        return str(FOLLOW[view["trick"][0][1][1]])
    if reason.rule == "trump":
        return str(TRUMP[view["trump"]])
    best = winning(view["trick"], view["trump"])
    return _("You must beat %(best)s, and you can.") % {"best": short([best])}


def why_no_more(rules: RuleSet, verb: str, most: int) -> str:
    """What caps a bid or a contract (``verb``) at ``most``, which is legal."""
    limit = rules.bid_limit if verb == "bid" else rules.contract_limit
    if verb == "bid" and not rules.jump_bids:
        return _("A raise is one step.")
    if most >= rules.ceiling - rules.ceiling % _step(rules, verb) or limit == "none":
        return _("At most %(most)s at this table.") % {"most": most}
    if most <= 120:
        return _("At most %(most)s: no marriage in hand.") % {"most": most}
    return _("At most %(most)s: 120 and your marriages.") % {"most": most}


def _step(rules: RuleSet, verb: str) -> int:
    return rules.bid_step if verb == "bid" else rules.contract_step


def meld_value(rules: RuleSet, card: str) -> int:
    """What a meld with ``card`` is worth."""
    return rules.ace_marriage if card[0] == "A" else MARRIAGE_VALUE[SUITS.index(card[1])]


def meld_name(card: str) -> str:
    """What is melded with ``card``: "marriage of hearts"."""
    return str(MARRIAGES["A" if card[0] == "A" else card[1]])


def count_cards(number: int) -> str:
    """A number of cards in words."""
    return ngettext("%(n)d card", "%(n)d cards", number) % {"n": number}


def count_points(number: int) -> str:
    """A number of points in words."""
    return ngettext("%(n)d point", "%(n)d points", number) % {"n": number}


def call(rules: RuleSet, action: str) -> str:
    """A word of the auction: "110", "pass", "120 dark"; "" for any other action."""
    if action.startswith("bid:"):
        return action[4:]
    if action == "dark":
        return _("%(bid)s dark") % {"bid": rules.dark_bid}
    return {"pass": _("pass"), "look": _("looks at the cards")}.get(action, "")


def said(rules: RuleSet, action: str) -> str:
    """What an action is called after a name and a colon; cards in letters and signs.

    ``give`` and ``discard`` without a card are those of others.
    """
    verb, _colon, rest = action.partition(":")
    if verb == "play":
        return short([rest])
    if verb == "meld":
        return _("%(card)s, %(marriage)s: %(value)s") % {
            "card": short([rest]),
            "marriage": meld_name(rest),
            "value": meld_value(rules, rest),
        }
    if verb == "contract":
        return _("plays %(contract)s") % {"contract": rest}
    if verb == "talon":
        return str(TALONS[int(rest)])
    if verb == "discard":
        return _("puts away %(card)s") % {"card": short([rest])} if rest else _("puts a card away")
    words = {
        "redeal": _("asks for a new deal"),
        "keep": _("plays on"),
        "concede": _("gives up this deal"),
        "claim": _("takes the rest"),
    }
    return words.get(action) or call(rules, action)


def said_by_you(rules: RuleSet, action: str) -> str:
    """The same of one's own action, a sentence of its own: a verb goes with "you" as with nobody else."""
    verb, _colon, rest = action.partition(":")
    if verb in ("play", "meld", "discard"):
        return _your_card(rules, verb, rest)
    if verb == "talon":
        return _("You take: %(talon)s") % {"talon": TALONS[int(rest)]}
    return {
        "bid": _("You bid %(bid)s") % {"bid": rest},
        "contract": _("You play for %(contract)s") % {"contract": rest},
        "dark": _("You bid %(bid)s dark") % {"bid": rules.dark_bid},
        "look": _("You look at your cards"),
        "pass": _("You pass"),
        "redeal": _("You ask for a new deal"),
        "keep": _("You play on"),
        "concede": _("You give up this deal"),
        "claim": _("You take the rest"),
    }[verb]


def _your_card(rules: RuleSet, verb: str, card: str) -> str:
    if verb == "meld":
        return _("You play %(card)s, %(marriage)s: %(value)s") % {
            "card": short([card]),
            "marriage": meld_name(card),
            "value": meld_value(rules, card),
        }
    words = _("You play %(card)s") if verb == "play" else _("You put away %(card)s")
    return words % {"card": short([card])}


def card_to(giver: str, receiver: str, card: str) -> str:
    """A card that was given; ``card`` is "" where it is not seen."""
    what = short([card]) if card else _("a card")
    return _("Given: %(card)s. From: %(giver)s. To: %(receiver)s.") % {
        "card": what,
        "giver": giver,
        "receiver": receiver,
    }


def spoken(text: str) -> str:
    """A sentence as it is read aloud: each card by its name instead of letters and a sign."""
    for form, name in _card_names(get_language() or "en"):
        text = text.replace(form, name)
    return text


@lru_cache(maxsize=8)
def _card_names(_language: str) -> tuple[tuple[str, str], ...]:
    """Short forms of all cards ("10♥") with their names ("ten of hearts") in the active language."""
    texts = [rank + suit for suit in SUITS for rank in RANKS]
    return tuple((short([text]), Card(text).name) for text in texts)
