"""The report of a check as its author sees it: which request failed."""

import pytest
from django.utils import translation

from botapi.models import Version
from botapi.reports import report_of, step_words


def turn(number, verdict):
    return {
        "request": {"type": "hello", "id": f"c.{number}/1/0/0"},
        "answer": "{}",
        "ms": 1.5,
        "verdict": verdict,
    }


def reported(verdict, *turns):
    return report_of(
        Version(check_report={"verdict": verdict, "code": "refused", "message": "no", "turns": turns})
    )


def test_the_request_that_failed_is_the_last_one_also_when_the_rules_were_refused_or_nothing_was_verified():
    for first in (
        "accepted a wrong signature",
        "refused a wrong signature",
        "no answer to a wrong signature",
    ):
        report = reported("failed", turn(1, first), turn(2, "refused"))
        assert (report.failing.number, report.failing.verdict) == (2, "refused")
        assert "c.2/1/0/0" in report.failing.request


def test_nothing_failed_where_the_check_was_passed():
    assert reported("passed", turn(1, "accepted a wrong signature"), turn(2, "ready")).failing is None
    assert reported("failed").failing is None


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("signature", "signature"),
        ("start pl-3", "start of pl-3"),
        ("hello pl-3", "greeting at pl-3"),
        ("situations ru-3", "situations of ru-3"),
        ("deals in seat 0", "deals in seat 1"),
        ("of an older check", "of an older check"),
    ],
)
def test_steps_are_told_in_the_readers_language_and_seats_from_1(step, words):
    assert step_words(step) == words
    with translation.override("ru"):
        assert (step_words(step) == words) == (step == "of an older check")
