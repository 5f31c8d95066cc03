"""The paragraph on a fault, told again in the reader's language (:mod:`botapi.explanations` wrote it in English).

It is stored as it was written, for the API and for the command line. Here it is taken apart by the sentences below,
which are those of the service; what a bot sent, requests and commands stay as they are, suits become signs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_noop as _

from botapi.explanations import CHECK_MEANINGS, MEANINGS
from engine.why_play import SUIT_WORDS

SIGNS: Final[Mapping[str, str]] = dict(zip(SUIT_WORDS.values(), "♠♣♦♥", strict=True))
PARAGRAPH: Final = re.compile(
    r"(?P<meaning>.+?) We sent: (?P<sent>.*?)\. What came: (?P<came>.*)\. Expected: (?P<expected>.*?)\."
    r"(?: Rule: (?P<wanted>.*) is not legal here, because (?P<reason>.*?)"
    r"(?: \(option (?P<option>[\w.]+) of (?P<rules>[\w-]+)\))?\.)?"
    r"(?: Played instead: (?P<played>\S+)\.)? To repeat it at home: (?P<command>.*)\.",
    re.DOTALL,
)
NOTHING: Final = _("nothing")
EXPECTED: Final = (
    _(
        "an answer within %(act)s ms and what is left of the bank, %(bank)s ms, at most %(hard)s ms",
    ),
    _("a bot that stays up and answers each request"),
    _("one line with one JSON object (over HTTP the body of a 200) such as %(example)s"),
    _("within %(limit)s ms an answer to hello such as %(example)s"),
    _("one of legal"),
)
REASONS: Final = (
    _("the phase is %(phase)s: it asks for %(known)s, not for %(verb)s"),
    _("it is no action; %(action)s is"),
    _("%(verb)s takes a card, rank then suit, such as %(example)s for the ten of hearts"),
    _("%(verb)s takes a whole number, such as %(example)s"),
    _("it is no action: answer with one of the texts in legal, such as %(example)s"),
    _("somebody must bid, and you may not pass: %(action)s"),
    _("bids are multiples of %(step)s"),
    _("no bid is above %(most)s"),
    _("a raise is one step: %(least)s"),
    _("your hand allows at most %(most)s: a bid above 120 needs a marriage in hand, and you hold none"),
    _("your hand allows no higher bid: a bid above 120 needs a marriage in hand, and you hold none"),
    _(
        "your hand allows a contract of at most %(most)s: a contract above 120 needs a marriage in hand, and you hold none"
    ),
    _("your hand allows at most %(most)s: 120 and the value of the marriages in it"),
    _("your hand allows no higher bid: 120 and the value of the marriages in it"),
    _("your hand allows a contract of at most %(most)s: 120 and the value of the marriages in it"),
    _("the least bid is %(least)s"),
    _("the bid stands at %(bid)s: the next is at least %(least)s"),
    _("the contract is at least your bid, %(bid)s"),
    _("contracts are multiples of %(step)s, or the bid itself"),
    _("no contract is above %(most)s"),
    _("at this table the declarer discards instead of giving: %(action)s"),
    _("at this table the declarer gives cards away instead of discarding: %(action)s"),
    _("you do not hold %(card)s"),
    _("you have played %(card)s already"),
    _("no deal is given back for its talon here"),
    _("the deal can only be given back before the first card leaves your hand"),
    _("only a talon of fewer than %(points)s points can be given back"),
    _("only a talon with %(nines)s nines can be given back"),
    _("only a talon of fewer than %(points)s points or with %(nines)s nines can be given back"),
    _("there is no conceding at this table"),
    _("you can only concede before the first card leaves your hand"),
    _("you could concede before the exchange; now you must play"),
    _("you have conceded %(times)s times: no more"),
    _("from a total of %(total)s on nobody concedes"),
    _("only a bid that you were forced to make can be conceded"),
    _("only bids of at most %(most)s can be conceded"),
    _("the talons are %(talons)s"),
    _("at this table %(card)s cannot be played here without melding: %(action)s"),
    _("there is no claiming at this table"),
    _("only the declarer claims"),
    _("the rest is claimed by the leader, before a card of the trick is played"),
    _("it is not certain from what you know that every trick left is yours"),
    _("%(suit)s were led and you hold %(card)s"),
    _("%(best)s wins the trick so far, you hold %(card)s and must beat it"),
    _("%(suit)s were led, you hold none and must trump: %(trump)s are trump and you hold %(card)s"),
    _(
        "%(suit)s were led and you hold none: %(best)s wins the trick so far, you hold %(card)s and must beat it"
    ),
    _("a marriage is melded by leading one of its cards; %(action)s is legal"),
    _(
        "a marriage is melded by leading one of its cards, or with the king right after the neighbour's queen; "
        "%(action)s is legal"
    ),
    _("a marriage is the king and the queen of a suit, and %(card)s is neither"),
    _("the marriage of %(suit)s was melded before"),
    _("a marriage needs both cards, and you do not hold %(card)s"),
    _("a marriage is melded by leading its queen: %(card)s"),
    _("nothing is melded in the first trick"),
    _("aces are no marriage at this table: %(action)s"),
    _("the four aces were melded before"),
    _("melding aces needs all four, and you do not hold %(card)s"),
)
"""What engine.why and engine.why_play say."""
LISTS: Final = frozenset({"known", "talons"})
"""The parameters that may hold several words."""
CHECKS: Final = (
    _("stopped after %(seconds)s s; everything up to then was right, but mind the clock"),
    _("a match would draw about %(drawn)s ms from a bank of %(bank)s ms"),
)
"""What games.version_check says of a bot that is slow."""


def retold(paragraph: str) -> str:
    """The paragraph in the active language; empty where it stays as it is: in English, or not written by the service."""
    if (get_language() or "en").startswith("en"):
        return ""
    found = PARAGRAPH.fullmatch(paragraph)
    if found is None:
        of_the_check = _told(paragraph, CHECKS)
        return "" if of_the_check == paragraph else of_the_check
    if found["meaning"] not in (*MEANINGS.values(), *CHECK_MEANINGS.values()):
        return ""
    came = gettext(NOTHING) if found["came"] == NOTHING else found["came"]
    told = [
        gettext(found["meaning"]),
        gettext("We sent: %(sent)s.") % {"sent": found["sent"]},
        gettext("What came: %(came)s.") % {"came": came},
        gettext("Expected: %(expected)s.") % {"expected": _told(found["expected"], EXPECTED)},
    ]
    if found["reason"]:
        told.append(_rule(found))
    if found["played"]:
        told.append(gettext("Played instead: %(action)s.") % {"action": found["played"]})
    told.append(gettext("To repeat it at home: %(command)s.") % {"command": found["command"]})
    return " ".join(told)


def _rule(found: re.Match[str]) -> str:
    parts = {"action": found["wanted"], "reason": _told(found["reason"], REASONS)}
    if not found["option"]:
        return gettext("Rule: %(action)s is not legal here, because %(reason)s.") % parts
    parts |= {"option": found["option"], "rules": found["rules"]}
    words = gettext(
        "Rule: %(action)s is not legal here, because %(reason)s (option %(option)s of %(rules)s)."
    )
    return words % parts


def _told(clause: str, known: tuple[str, ...]) -> str:
    """One of the clauses above with what stands in it; another one stays as it was written."""
    for text in known:
        if found := _pattern(text).fullmatch(clause):
            return gettext(text) % {name: SIGNS.get(part, part) for name, part in found.groupdict().items()}
    return clause


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """What a message looks like once its parameters are filled in."""
    parts = re.split(r"%\((\w+)\)s", text)
    named = [
        f"(?P<{part}>{'.' if part in LISTS else '[^ ]'}+)" if place % 2 else re.escape(part)
        for place, part in enumerate(parts)
    ]
    return re.compile("".join(named))
