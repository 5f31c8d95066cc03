"""What tournaments, seasons and the rating log refuse is told in the language of whoever asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import translation

from botapi.errors import DomainError
from engine import PRESETS
from ladder import rating_log, registration, seasons, tournaments
from ladder.models import UnratedMatch
from tests.ladder import making
from tests.ladder.tournament_making import started

pytestmark = pytest.mark.django_db


def told(verb: Callable[[], object], language: str) -> str:
    """What is said to somebody who reads ``language`` when this is refused."""
    with translation.override(language), pytest.raises(DomainError) as refused:
        verb()
    return refused.value.message


def begun() -> Callable[[], object]:
    cup = started(3)
    return lambda: tournaments.start(cup)


def over() -> Callable[[], object]:
    cup = tournaments.cancel(started(3))
    return lambda: registration.withdraw(cup.entrants.all()[0])


def opened() -> Callable[[], object]:
    season = seasons.open_season(seasons.create_season("later", name="Autumn", ruleset=PRESETS["pl-3"]))
    return lambda: seasons.change_season(season, duplicate=True)


def twice_at_a_table() -> Callable[[], object]:
    pool = making.pool()
    one, other = making.versions(2)
    match = making.finished(pool, (one, one, other))
    note = UnratedMatch.objects.create(pool=pool, match=match, reason="as it was")
    return lambda: rating_log.try_again(note)


@pytest.mark.parametrize(
    ("refused", "english"),
    [
        (begun, "Cup is in the phase “Running”."),
        (over, "Cup is in the phase “Cancelled”."),
        (opened, "Autumn is in the state “Open”; these cannot be changed any more: duplicate."),
        (
            twice_at_a_table,
            "It cannot be rated still: it needs two or more versions, each once, with places.",
        ),
    ],
)
def test_a_refusal_is_told_in_every_language(
    refused: Callable[[], Callable[[], object]], english: str
) -> None:
    verb = refused()
    assert told(verb, "en") == english
    for language in ("pl", "cs", "ru", "nl"):
        message = told(verb, language)
        assert message != english
        assert not set(english.split()) & {"phase", "state", "cannot", "needs"} & set(message.split())
