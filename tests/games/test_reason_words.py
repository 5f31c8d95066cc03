"""What the service wrote of a match in English is told again in the reader's language."""

from __future__ import annotations

import pytest
from django.utils import translation

from games.models import Match, MatchAttempt
from games.reason_words import OUTCOMES, STATES, reason_words, state_words


def test_every_state_and_outcome_has_words():
    assert set(STATES) == set(Match.State.values)
    assert set(OUTCOMES) == set(MatchAttempt.Outcome.values)


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
