"""A reason why an action is not legal; apart from ``why``, because ``why_play`` gives reasons to it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """Why not: ``rule`` is a stable word, ``text`` a clause without a full stop.

    ``card`` is a card of the seat's own hand that the rule makes it play instead, empty where there is none;
    ``option`` the option of the rule set that says so, empty for rules that every table has.
    """

    rule: str
    text: str
    card: str = ""
    option: str = ""
