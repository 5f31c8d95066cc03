"""The solver against every line tried out with the engine, and by hand."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import PRESETS, EngineError, Game
from engine.cards import NUMBER, mask_of, points
from engine.solver import Position, Solver, best, made, makes
from engine.solver import points as solved

from .minimax import ending, tried, worths
from .tables import mixes, rules_of, seed, take, table

MELDS_ANYHOW = {"over_marriage": True, "ace_marriage": 200, "claim": False}


def hand(text):
    return mask_of([NUMBER[card] for card in text.split()])


def position(rules, *hands, **fields):
    """Hands from the declarer's on, as text."""
    for name in ("leftovers", "unseen"):
        fields[name] = hand(fields.get(name, ""))
    for name in ("trick", "stock"):
        fields[name] = tuple(NUMBER[card] for card in fields.get(name, "").split())
    return Position(rules, tuple(hand(text) for text in hands), **{"later": True, **fields})


def checked(game):
    """What the solver says of a position is what trying out every line says."""
    deal = game.current
    seat = deal.declarer if deal.declarer >= 0 else deal.seat
    expected = worths(game, seat)
    found = Position.of(game)
    assert solved(found) == expected
    assert list(expected) == list(game.legal)
    value = (max if deal.seat == seat else min)(expected.values())
    assert expected[best(found)] == value
    solver = Solver(found)
    for n in {value - 1, value, value + 1, *expected.values()}:
        assert made(found, n) == solver.made(n) == (value >= n)
        assert (
            makes(found, n) == solver.makes(n) == {action: worth >= n for action, worth in expected.items()}
        )


def check_endings(rules, word, count):
    """Random endings of a rule set, on lead and within a trick."""
    rng = random.Random(str(word))
    found = 0
    for number in range(20 * count):
        game = ending(rules, f"{word} {number}", rng, 2 if rules.active == 4 else rng.choice((2, 3, 3)))
        if game is None:
            continue
        for _ in range(rng.randrange(rules.active)):
            game = further(game, rng)
        checked(game)
        found += 1
        if found == count:
            return
    raise AssertionError("too few endings")


def further(game, rng):
    """The game after a random action, if the deal goes on after it."""
    other = tried(game, rng.choice(game.legal))
    return other if other.phase == "play" and other.deal == game.deal else game


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_short_endings_of_a_preset_are_solved_as_every_line_says(name):
    check_endings(PRESETS[name], name, 6)


@settings(max_examples=25, deadline=None)
@given(st.integers(min_value=0, max_value=2**48))
def test_short_endings_of_any_mix_are_solved_as_every_line_says(number):
    check_endings(mixes(random.Random(number)), number, 1)


@pytest.mark.parametrize("announcement", ["optional", "automatic"])
@pytest.mark.parametrize("name", ["pl-2", "pl-2-open", "ru-3", "pl-4-all"])
def test_endings_with_melds_of_every_kind_are_solved_as_every_line_says(name, announcement):
    rules = rules_of(name, marriage_announcement=announcement, **MELDS_ANYHOW)
    check_endings(rules, f"{name} {announcement}", 6)
