"""Rows drawn by Jinja2: escaped, in the reader's language, and with nothing left out in silence."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.utils import translation
from jinja2 import UndefinedError

from engine import PRESETS
from games.known_words import gettext
from games.listing import Line, Sitting
from games.row_templates import changed, decimals, key, moment, rows

MATCH = Line(
    pk=7,
    seats=(Sitting("<b>bold</b>", -120, 1), Sitting("o'neil", None, None)),
    rules=PRESETS["pl-3"].to_json(),
    deals=9,
    state="finished",
    at=datetime(2026, 11, 30, 17, 28, tzinfo=UTC),
)


def test_what_people_wrote_is_escaped() -> None:
    drawn = rows("games/match_rows.html", matches=[MATCH], label='"here"')
    assert "&lt;b&gt;bold&lt;/b&gt;" in drawn
    assert "<b>" not in drawn
    assert 'aria-label="&#34;here&#34;"' in drawn
    assert "−120" in drawn
    assert "2026-11-30 17:28" in drawn


def test_words_are_those_of_the_active_language_also_after_another_ones() -> None:
    for language, word in (("en", "Seats"), ("pl", "Miejsca"), ("en", "Seats")):
        with translation.override(language):
            assert gettext("Seats") == word
            assert f"<th>{word}</th>" in rows("games/match_rows.html", matches=[], label="")


def test_a_value_that_was_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        rows("games/match_rows.html", matches=[MATCH])


@pytest.mark.parametrize(
    ("language", "value", "places", "plain", "as_change"),
    [
        ("en", 12.34, 1, "12.3", "+12.3"),
        ("pl", 12.34, 1, "12,3", "+12,3"),
        ("nl", -0.5, 1, "−0,5", "−0,5"),
        ("en", -0.04, 1, "0.0", "0.0"),
        ("en", 0.04, 1, "0.0", "0.0"),
        ("en", 1500.0, 0, "1500", "+1500"),
    ],
)
def test_numbers_are_written_as_the_language_writes_them(
    language: str, value: float, places: int, plain: str, as_change: str
) -> None:
    with translation.override(language):
        assert decimals(value, places) == plain
        assert changed(value, places) == as_change


def test_keys_and_moments_are_the_same_in_every_language() -> None:
    with translation.override("pl"):
        assert (key(1.5), key(None)) == ("1.500000", "")
        assert moment(MATCH.at) == "2026-11-30 17:28"
