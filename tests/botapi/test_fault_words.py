"""A stored paragraph on a fault is told again in the reader's language; what a bot wrote stays as it is."""

import random
from dataclasses import replace

import pytest
from django.conf import settings
from django.utils import translation

from botapi import fault_words, faults, protocol
from botapi.drivers.base import Answer
from botapi.explanations import explain
from engine import PRESETS, Game
from engine.why import why_not
from tests.botapi.test_explanations import RULES, asked, told
from tests.engine import test_why

OTHERS = [code for code, _ in settings.LANGUAGES if code != "en"]
SIGNED = ("spades", "clubs", "diamonds", "hearts")


def illegal(action="play:AS"):
    raw = b'{"id":"12/1/1/57","action":"%s"}' % action.encode()
    return told("illegal", Answer(reply=protocol.decode_act(raw), raw=raw), action="play:9D")


def known(reason):
    return any(fault_words._pattern(text).fullmatch(reason) for text in fault_words.REASONS)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_reason_that_the_engine_gives_is_among_the_known_ones(name):
    draw = random.Random(name)
    game = Game(replace(PRESETS[name], deal_limit=2), seed=draw.randbytes(32))
    while game.seat is not None:
        view = game.view(game.seat)
        for wish in draw.sample(test_why.WELL_FORMED, 8):
            if wish not in game.legal:
                reason = why_not(game.ruleset, view, game.legal, wish).text
                assert known(reason), reason
        game.apply(draw.choice(game.legal))


@pytest.mark.parametrize(
    "reason",
    [
        "only a talon with 2 nines can be given back",
        "only a talon of fewer than 5 points can be given back",
        "only a talon of fewer than 5 points or with 2 nines can be given back",
        "you could concede before the exchange; now you must play",
        "from a total of 800 on nobody concedes",
        "you have conceded 2 times: no more",
        "only bids of at most 110 can be conceded",
        "somebody must bid, and you may not pass: bid:100",
        "the four aces were melded before",
        "the phase is play: it asks for play or meld, not for bid",
        "the talons are talon:0 and talon:1",
    ],
)
def test_the_reasons_that_random_games_seldom_meet_are_known_as_well(reason):
    """As ``test_why`` meets them."""
    assert known(reason)


@pytest.mark.parametrize("language", OTHERS)
def test_the_paragraph_is_told_in_the_readers_language_and_the_bots_words_stay(language):
    text = illegal()
    with translation.override(language):
        words = fault_words.retold(text)
    for kept in (
        '{"id":"12/1/1/57","action":"play:AS"}',
        "JD",
        "♦",
        "play:9D",
        "thousand rerun 12 FILE|URL --seat 2",
    ):
        assert kept in words
    for english in (
        "We sent",
        "What came",
        "Expected",
        "Rule:",
        "Played instead",
        "because",
        "were led",
        *SIGNED,
    ):
        assert english not in words.replace(text, ""), english


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("code", [faults.TIMEOUT, faults.CRASH, faults.BAD_REPLY, faults.START])
@pytest.mark.parametrize("purpose", ["match", "check"])
def test_each_fault_is_told_without_a_word_of_english(code, purpose, language):
    text = explain(code, "", asked(), Answer(), rules=RULES, purpose=purpose)
    with translation.override(language):
        words = fault_words.retold(text)
    assert words
    assert "nothing" not in words
    for sentence in ("To repeat it", "Expected", "an answer", "such as"):
        assert sentence not in words


def test_in_english_and_for_texts_of_others_nothing_is_told_again():
    text = illegal()
    assert fault_words.retold(text) == ""
    with translation.override("pl"):
        for other in (
            "",
            "something else",
            "We sent: x. What came: y. Expected: z. To repeat it at home: w.",
            "% %s %(a)s",
        ):
            assert fault_words.retold(other) == ""


def test_a_bot_cannot_break_the_paragraph_with_its_own_words():
    evil = "x. Expected: y. Rule: z is not legal here, because %(reason)s. Played instead: pass. To repeat it at home: rm."
    with translation.override("pl"):
        words = fault_words.retold(illegal(evil.replace('"', "")))
    assert words.count("thousand rerun 12 FILE|URL --seat 2") == 1
    assert "%(reason)s" in words
