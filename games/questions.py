"""What bots are told of rules and cards, and what is wrong with an answer of theirs (protocol.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botapi import faults, protocol
from botapi.drivers.base import GRACE_MS, Answer, Question

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine import RuleSet

ANSWER_CHARS = 4000


def rules_message(rules: RuleSet) -> dict[str, Any]:
    """``rules`` of ``hello`` for a rule set."""
    options = {key: value for key, value in rules.to_json().items() if key not in ("name", "base")}
    return protocol.rules_for_bots(rules.name, rules.base, rules.changed, options)


def fault_of(question: Question, answer: Answer) -> tuple[str, str]:
    """The code of what is wrong with the answer to an ``act`` and its detail; both empty for a right one."""
    if answer.fault:
        return answer.fault, answer.detail
    if answer.used_ms > question.limit_ms + GRACE_MS:
        detail = f"answered after {answer.used_ms:.0f} ms of {question.limit_ms:.0f} ms"
        return faults.TIMEOUT, detail
    reply = answer.reply
    if isinstance(reply, protocol.ActReply) and reply.action not in question.legal:
        return faults.ILLEGAL, f"action {protocol.printable(reply.action[:60])!r}"
    return "", ""


def answer_text(answer: Answer) -> str:
    """The bot's answer as text for logs: bad bytes replaced, control characters escaped, cut."""
    return protocol.printable(answer.raw[:ANSWER_CHARS].decode("utf-8", "replace"))


def hands_as_dealt(record: Mapping[str, Any], rules: RuleSet) -> list[list[str]]:
    """The hands of a deal's record, one list a seat, empty for a sitting dealer."""
    seats, size = rules.players, rules.hand_size
    order = [(record["dealer"] + step) % seats for step in range(1, seats + 1)]
    if rules.dealer_sits_out:
        order.pop()
    hands: list[list[str]] = [[] for _ in range(seats)]
    for place, seat in enumerate(order):
        hands[seat] = list(record["deck"][place * size : (place + 1) * size])
    return hands
