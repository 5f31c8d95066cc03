"""The check of a version on a clock of its own: what a slow bot is told, and that all is over within a minute."""

import json

import pytest

from botapi import check_situations, faults, protocol
from botapi.drivers.base import Answer, Question
from engine import PRESETS
from games.steps import Greet
from games.version_check import OVER_S, STOP_S, Check

from .scripted import bot, good, setup


class Checked:
    """A check that was talked through; ``answer`` is a function of the question and the clock, which it moves."""

    def __init__(
        self, answer=lambda question, _: good(question), kind="sandbox", clocks=protocol.SANDBOX_CLOCKS
    ):
        self.seconds = 0.0
        self.asked = []
        check = Check(setup(bot("b", kind, clocks)), lambda: self.seconds)
        play, value = check.play(), None
        try:
            while True:
                step = play.send(value)
                value = None
                if isinstance(step, Question):
                    value = self._take(answer, step)
                elif isinstance(step, Greet):
                    value = tuple(self._take(answer, question) for question in step.questions)
        except StopIteration as stop:
            self.report = stop.value

    def _take(self, answer, question):
        self.asked.append(question)
        return answer(question, self)

    def spend(self, question, ms):
        """Answer well after ``ms``, or run out of time."""
        used = min(ms, question.limit_ms)
        self.seconds += used / 1000
        if ms > question.limit_ms:
            return Answer(fault=faults.TIMEOUT, detail="no answer", used_ms=used + 50)
        answer = good(question)
        answer.used_ms = used
        return answer


def test_a_good_bot_is_asked_in_every_phase_of_every_kind_of_table_and_in_every_seat():
    done = Checked()
    assert done.report.verdict == "passed", done.report.message
    acts = [question for question in done.asked if question.kind == "act"]
    assert {question.view["rules"]["name"] for question in acts} == set(check_situations.KINDS)
    phases = {question.view["phase"] for question in acts}
    assert phases == {"dark", "redeal", "auction", "talon", "exchange", "contract", "play"}
    assert {question.view["you"] for question in acts} == {0, 1, 2}


def test_every_preset_is_of_one_of_the_kinds_that_are_checked():
    def shape(rules):
        stock = 24 - rules.active * rules.hand_size - sum(rules.talons)
        return (
            rules.players,
            rules.dealer_sits_out,
            rules.auction,
            rules.exchange,
            len(rules.talons),
            stock > 0,
        )

    checked = {shape(PRESETS[name]) for name in check_situations.KINDS}
    assert {shape(rules) for rules in PRESETS.values()} <= checked


@pytest.mark.parametrize("ms", [600, 1900, 4900])
def test_a_slow_but_correct_bot_passes_with_a_warning_and_is_stopped_within_a_minute(ms):
    done = Checked(lambda question, clock: clock.spend(question, ms))
    assert done.report.verdict == "slow"
    assert f"stopped after {STOP_S:.0f} s" in done.report.message
    assert STOP_S <= done.seconds <= OVER_S


def test_a_question_that_is_open_when_the_minute_ends_is_no_fault():
    clocks = protocol.HTTP_CLOCKS

    def answer(question, clock):
        return clock.spend(question, 14_000 if clock.seconds > 40 else 1_500)

    done = Checked(answer, "http", clocks)
    assert (done.report.verdict, done.report.code) == ("slow", "")
    assert done.seconds <= OVER_S


def failing_late(fault):
    """An endpoint that is slow for 43 s and then fails at every hello in its own way."""

    def answer(question, clock):
        if question.kind == "hello" and clock.seconds > 43:
            return Answer(fault=fault, detail="on purpose", used_ms=1.0)
        return clock.spend(question, 1_500)

    return answer


@pytest.mark.parametrize("fault", [faults.CRASH, faults.BAD_REPLY])
def test_an_endpoint_that_fails_when_the_check_is_nearly_over_fails_it(fault):
    done = Checked(failing_late(fault), "http", protocol.HTTP_CLOCKS)
    assert done.asked[-1].kind == "hello"
    assert done.asked[-1].limit_ms < protocol.HTTP_CLOCKS.start_ms
    assert (done.report.verdict, done.report.code) == ("failed", "start")
    assert "on purpose" in done.report.message


def test_a_fault_after_a_question_that_was_cut_and_answered_fails_the_check():
    def answer(question, clock):
        if clock.seconds > 44 and question.kind == "act":
            return Answer(fault=faults.CRASH, detail="on purpose", used_ms=1.0)
        return clock.spend(question, 1_000 if clock.seconds < 44 else 1)

    done = Checked(answer, "http", protocol.HTTP_CLOCKS)
    assert (done.report.verdict, done.report.code) == ("failed", "crash")


def test_the_last_turn_of_a_failed_check_is_what_it_failed_at_also_in_its_deals():
    def answer(question, _):
        in_deals = question.content["match"].rpartition(".")[2] > "5"
        if in_deals:
            return Answer(fault=faults.CRASH, detail="on purpose", used_ms=1.0)
        return good(question)

    report = Checked(answer).report
    assert (report.verdict, report.code) == ("failed", "start")
    last = json.loads(bytes(report.turns[-1]["request"]))
    assert (last["type"], last["match"], report.turns[-1]["verdict"]) == ("hello", "M.6", "crash")


@pytest.mark.parametrize(
    ("answers", "unsigned", "words"),
    [
        ([Answer(status=401, fault=faults.BAD_REPLY)], False, "verified"),
        ([Answer(fault=faults.TIMEOUT, used_ms=16_000), Answer(status=403, fault=faults.BAD_REPLY)], False, "verified"),
        ([Answer(fault=faults.TIMEOUT, used_ms=16_000)] * 2, None, "not established"),
        ([Answer(fault=faults.CRASH), Answer(status=503, fault=faults.BAD_REPLY)], None, "not established"),
        ([Answer(fault=faults.CRASH), None], True, "unsigned"),
        ([None], True, "unsigned"),
    ],
)  # fmt: skip
def test_only_an_answer_shows_whether_an_endpoint_looks_at_signatures(answers, unsigned, words):
    left = list(answers)
    done = Checked(lambda question, _: (question.forged and left.pop(0)) or good(question), "http")
    assert left == []
    assert done.report.verdict == "passed"
    assert done.report.unsigned is unsigned
    assert done.report.steps[0]["detail"].startswith(words)


def test_a_bot_that_hangs_early_fails_and_is_told_why():
    done = Checked(lambda question, clock: clock.spend(question, 99_000 if question.kind == "act" else 1))
    assert (done.report.verdict, done.report.code) == ("failed", "timeout")
    assert "We sent: act" in done.report.message
    assert "To repeat it at home: thousand check FILE|URL." in done.report.message


def test_the_deals_of_a_check_are_the_same_each_time_so_that_it_can_be_repeated_at_home():
    def cards(done):
        return [json.dumps(question.view) for question in done.asked if question.kind == "act"]

    assert cards(Checked()) == cards(Checked())


def test_an_illegal_action_fails_the_check_with_the_rule_in_words():
    def answer(question, _):
        reply = good(question)
        if question.kind == "act" and question.view["phase"] == "play" and question.view["trick"]:
            foreign = next(card for card in question.view["hand"] if f"play:{card}" not in question.legal)
            reply.reply = protocol.ActReply(id=question.id, action=f"play:{foreign}")
        return reply

    report = Checked(answer).report
    assert (report.verdict, report.code) == ("failed", "illegal")
    assert (
        "Rule: play:AH is not legal here, because clubs were led and you hold AC. To repeat" in report.message
    )
