"""What the service wrote of a match in English is told again in the reader's language."""

from __future__ import annotations

import pytest
from django.utils import translation

from games.models import Match, MatchAttempt, Series
from games.reason_words import OUTCOMES, SERIES, STATES, reason_words, series_words, state_words


def test_every_state_and_outcome_has_words():
    assert set(STATES) == set(Match.State.values)
    assert set(OUTCOMES) == set(MatchAttempt.Outcome.values)
    assert set(SERIES) == set(Series.Kind.values)


@pytest.mark.parametrize(
    ("kind", "stored", "words"),
    [
        ("season", "season spring", "season spring"),
        ("tournament", "tournament cup", "tournament cup"),
        ("event", "event show", "event show"),
        ("event", "dated match 00ff00ff", "a match with a date"),
        ("practice", "practice", "practice"),
        ("tests", "test matches", "test matches"),
        ("checks", "checks", "checks of versions"),
    ],
)
def test_a_series_is_called_by_its_kind(kind, stored, words):
    series = Series(kind=kind, name=stored)
    assert series_words(series) == words
    for language in ("pl", "cs", "ru"):
        with translation.override(language):
            assert series_words(series) != words


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        (
            "will be repeated: its worker was lost: the lease ran out",
            "It will be played again: its worker was lost",
        ),
        ("brisk did not start", "brisk did not start."),
        ("brisk refused: no such rules", "brisk refused to play: no such rules"),
        ("cancelled", "It was cancelled."),
        ("what an operator wrote, 100% of it", "what an operator wrote, 100% of it"),
        ("", ""),
    ],
)
def test_a_reason_is_told_again_and_what_people_wrote_stays(stored, words):
    assert reason_words(stored) == words


def test_a_state_that_nobody_knows_stays_as_it_is():
    with translation.override("pl"):
        assert state_words("odd") == "odd"
