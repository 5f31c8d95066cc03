"""What an author is told of each fault: what we sent, what came, what was expected, which rule, how to repeat it."""

import pytest

from botapi import faults, protocol
from botapi.drivers.base import Answer, Question
from botapi.explanations import MEANINGS, explain
from engine import PRESETS, Game

RULES = PRESETS["pl-3"]
TIME = {"act_ms": 200, "bank_ms": 1500, "hard_ms": 5000}


def asked():
    """The second seat of a trick to which diamonds were led."""
    view = Game(RULES, seed=bytes(32)).view(1)
    view |= {"phase": "play", "deal": 3, "hand": ["JD", "9D", "AS"], "trick": [[0, "TD"]], "trump": "S"}
    legal = ("play:JD", "play:9D")
    content = {"type": "act", "id": "12/1/1/57", "match": "12", "time": TIME, "view": view, "legal": legal}
    return Question(1, "act", "12/1/1/57", 5000, content, view, legal)


def told(code, answer, detail="", **more):
    return explain(code, detail, asked(), answer, rules=RULES, purpose="match", **more)


def test_an_illegal_action_is_told_with_the_rule_and_the_card_held():
    raw = b'{"id":"12/1/1/57","action":"play:AS"}'
    text = told(
        "illegal", Answer(reply=protocol.decode_act(raw), raw=raw), "action 'play:AS'", action="play:9D"
    )
    assert "We sent: act 12/1/1/57: deal 3, phase play, hand JD 9D AS, on the table TD, trump S" in text
    assert "legal play:JD play:9D." in text
    assert 'What came: {"id":"12/1/1/57","action":"play:AS"}.' in text
    assert "Rule: play:AS is not legal here, because diamonds were led and you hold JD." in text
    assert "Played instead: play:9D." in text
    assert "To repeat it at home: thousand rerun 12 FILE|URL --seat 2." in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("code", "answer", "words"),
    [
        (
            faults.TIMEOUT,
            Answer(),
            "What came: nothing (because). Expected: an answer within 200 ms and what is left of the bank, 1500 ms, at most 5000 ms.",
        ),
        (faults.CRASH, Answer(raw=b"Traceb"), "What came: Traceb (because). Expected: a bot that stays up"),
        (
            faults.BAD_REPLY,
            Answer(raw=b"{]\n\x1b"),
            r"{] \u001b (because). Expected: one line with one JSON object",
        ),
        (faults.BAD_REPLY, Answer(raw=b"x" * 9999), "x… (because)."),
        (faults.BAD_REPLY, Answer(), '{"id":"12/1/1/57","action":"play:JD"}'),
        (faults.START, Answer(), '{"v":1,"id":"12/1/1/57","ready":true}'),
    ],
)
def test_each_fault_is_told_apart(code, answer, words):
    text = told(code, answer, "because")
    assert text.startswith(MEANINGS[code])
    assert words in text


def test_every_code_has_a_meaning_of_its_own():
    assert set(MEANINGS) == set(faults.CODES)
    assert len(set(MEANINGS.values())) == len(faults.CODES)


def test_a_hello_and_a_check_are_told_as_such():
    content = {
        "type": "hello",
        "id": "c/1/0/0",
        "match": "c",
        "rules": {"name": "ru-3"},
        "you": 0,
        "time": TIME,
    }
    question = Question(0, "hello", "c/1/0/0", 10_000, content)
    text = explain("start", "no answer", question, Answer(), rules=RULES, purpose="check")
    assert "We sent: hello c/1/0/0 (rules ru-3, seat 0)." in text
    assert "within start_ms, so this version is refused." in text
    assert "Expected: within 10000 ms an answer to hello such as" in text
    played = explain("start", "no answer", question, Answer(), rules=RULES, purpose="match")
    assert "so no match began and nothing was lost. The second time suspends the bot." in played


def test_a_bot_that_ends_in_its_check_is_not_told_that_it_is_started_again():
    crashed, played = (
        explain("crash", "", asked(), Answer(), rules=RULES, purpose=purpose)
        for purpose in ("check", "match")
    )
    assert "started again" not in crashed
    assert "started again once a match" in played
    assert crashed.endswith("To repeat it at home: thousand check FILE|URL.")


@pytest.mark.parametrize(
    "wanted", ["", "\ud800\0", "play:" + "9" * 70_000, "bid:" + "9" * 5_000, "{legal}", "KD"]
)
def test_whatever_a_bot_answers_can_be_told(wanted):
    reply = protocol.ActReply(id="12/1/1/57", action=wanted)
    assert "Rule: " in told("illegal", Answer(reply=reply))
