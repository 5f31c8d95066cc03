"""What the author is told of a fault: one paragraph each (protocol.md section 5).

It says what we sent, what came, what was expected, which rule was broken, what was played instead, and how the
author sees the same at home.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from botapi import faults, protocol
from engine.why import why_not

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from botapi.drivers.base import Answer, Question
    from engine import RuleSet

SHOWN_ANSWER: Final = 300
SHOWN_LEGAL: Final = 40

MEANINGS: Final[Mapping[str, str]] = {
    faults.TIMEOUT: "No answer came in time. Each action has act_ms free, anything beyond is drawn from the bank "
    "of the match, and no action may take longer than hard_ms.",
    faults.CRASH: "The bot's process ended, or its connection was refused or reset, before it answered. "
    "A sandboxed bot is started again once a match.",
    faults.BAD_REPLY: "The answer could not be read.",
    faults.ILLEGAL: "The action is not one of the legal actions that came with the request.",
    faults.LATE: "An answer of a sandboxed bot came after its deadline and was ignored. It is no fault of its own: "
    "the timeout was recorded when the time ran out. Over HTTP nobody listens any longer then.",
    faults.START: "The bot did not answer hello as it should within start_ms, so no match began and nothing was lost. "
    "The second time suspends the bot.",
}
"""What each code means in a match."""
CHECK_MEANINGS: Final[Mapping[str, str]] = {
    **MEANINGS,
    faults.CRASH: "The bot's process ended, or its connection was refused or reset, before it answered.",
    faults.START: "The bot did not answer hello as it should within start_ms, so this version is refused.",
}
"""What each code means in the check of a version, which ends with the first fault."""

EXPECTED: Final[Mapping[str, str]] = {
    faults.TIMEOUT: "an answer within {act_ms} ms and what is left of the bank, {bank_ms} ms, at most {hard_ms} ms",
    faults.CRASH: "a bot that stays up and answers each request",
    faults.BAD_REPLY: 'one line with one JSON object (over HTTP the body of a 200) such as {{"id":"{id}","action":'
    '"{legal}"}}',
    faults.START: 'within {limit_ms:.0f} ms an answer to hello such as {{"v":1,"id":"{id}","ready":true}}',
}


def explain(
    code: str,
    detail: str,
    question: Question,
    answer: Answer,
    *,
    rules: RuleSet,
    purpose: str,
    action: str = "",
) -> str:
    """One paragraph on the fault ``code`` at ``question``; ``action`` is what was played instead, if anything."""
    came = came_words(answer)
    parts = [
        (CHECK_MEANINGS if purpose == "check" else MEANINGS)[code],
        f"We sent: {sent_words(question)}.",
        f"What came: {came}" + (f" ({detail})." if detail and code != faults.ILLEGAL else "."),
        f"Expected: {_expected(code, question)}.",
    ]
    wanted = getattr(answer.reply, "action", None)
    if code == faults.ILLEGAL and isinstance(wanted, str):
        reason = why_not(rules, question.view, question.legal, wanted)
        table = f" (option {reason.option} of {rules.name})" if reason.option else ""
        parts.append(
            f"Rule: {protocol.printable(wanted[:60])} is not legal here, because {reason.text}{table}."
        )
    if action:
        parts.append(f"Played instead: {action}.")
    parts.append(f"To repeat it at home: {_at_home(question, purpose)}.")
    return " ".join(parts)


def sent_words(question: Question) -> str:
    """A request in one clause: its kind and id, and for a decision where it stands and what may be done."""
    content = question.content
    if question.kind == "hello":
        return f"hello {question.id} (rules {content['rules']['name']}, seat {content['you']})"
    view = question.view
    words = [f"act {question.id}: deal {view['deal']}, phase {view['phase']}, hand {_cards(view['hand'])}"]
    if view["trick"]:
        words.append("on the table " + " ".join(card for _, card in view["trick"]))
    if view["trump"]:
        words.append(f"trump {view['trump']}")
    words.append("legal " + _list(question.legal))
    return ", ".join(words)


def came_words(answer: Answer) -> str:
    """The answer as text on one line, cut; or that there was none."""
    text = " ".join(protocol.printable(answer.raw[: 4 * SHOWN_ANSWER].decode("utf-8", "replace")).split())
    if not text:
        wanted = getattr(answer.reply, "action", None)
        return protocol.printable(wanted[:60]) if isinstance(wanted, str) else "nothing"
    return text if len(text) <= SHOWN_ANSWER else text[:SHOWN_ANSWER] + "…"


def _expected(code: str, question: Question) -> str:
    if code == faults.ILLEGAL:
        return "one of legal"
    legal = question.legal[0] if question.legal else ""
    words = {"id": question.id, "legal": legal, "limit_ms": question.limit_ms}
    return EXPECTED[code].format(**words, **question.content["time"])


def _at_home(question: Question, purpose: str) -> str:
    """The command that repeats it: a match of the service is known by its number, one played at home by a file."""
    if purpose == "check":
        return "thousand check FILE|URL"
    match, seat = str(question.content["match"]), question.seat + 1  # the command counts as people do
    if match.isdecimal():
        return f"thousand rerun {match} FILE|URL --seat {seat}"
    return f"thousand rerun RECORD FILE|URL --seat {seat}, where RECORD holds match {match}"


def _cards(hand: Any) -> str:
    return " ".join(hand) if hand else "not seen yet" if hand is None else "empty"


def _list(legal: Sequence[str]) -> str:
    more = len(legal) - SHOWN_LEGAL
    return " ".join(legal[:SHOWN_LEGAL]) + (f" and {more} more" if more > 0 else "")
