"""The solver against every line tried out with the engine, and by hand."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import PRESETS, EngineError, Game
from engine.cards import NUMBER, mask_of
from engine.solver import Position, Solver, best, made, makes
from engine.solver import points as solved

from .minimax import ending, laid_out, tried, worths
from .tables import mixes, rules_of, seed, sensible

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


def check_laid_out(rules, word, count):
    """Endings with hands that deals rarely leave: marriages, four aces, long suits."""
    rng = random.Random(str(word))
    for number in range(count):
        tricks = {2: rng.choice((3, 4, 4)), 3: 3, 4: 2}[rules.active]
        game = laid_out(rules, f"{word} {number}", rng, tricks)
        if len(game.legal) > 1:
            for _ in range(rng.randrange(2 * rules.active)):
                game = further(game, rng)
            checked(game)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_endings_rich_in_marriages_are_solved_as_every_line_says(name):
    check_laid_out(PRESETS[name], name, 4)


@settings(max_examples=20, deadline=None)
@given(st.integers(min_value=0, max_value=2**48))
def test_endings_rich_in_marriages_of_any_mix_are_solved_as_every_line_says(number):
    check_laid_out(mixes(random.Random(number)), number, 1)


@pytest.mark.parametrize("announcement", ["optional", "automatic"])
@pytest.mark.parametrize("name", ["pl-2", "ru-2", "ru-3", "pl-4-all"])
def test_endings_with_melds_of_every_kind_are_solved_as_every_line_says(name, announcement):
    rules = rules_of(name, marriage_announcement=announcement, **MELDS_ANYHOW)
    check_laid_out(rules, f"{name} {announcement}", 8)
    check_laid_out(replace(rules, over_marriage=False), f"{name} {announcement} aces", 8)


@pytest.mark.parametrize("changes", [{}, MELDS_ANYHOW])
def test_endings_with_cards_still_to_be_drawn_are_solved_as_every_line_says(changes):
    rules = rules_of("pl-2-draw", hand_size=2, **changes)
    for number in range(8):
        rng = random.Random(number)
        game = ending(rules, f"stock {number}", rng, 4)
        assert game.current.drawn < len(game.current.stock)
        checked(game)


def test_the_declarer_cashes_then_tells_and_takes_the_last_trick_with_a_trump():
    told = position(PRESETS["nl-3"], "AH KH QH 9S", "TH 9H AS JC", "JH TS KS QC")
    # AH 9H JH 13, the meld 100 although TH takes its queen, AS takes 9S, KH ruffs JC and QC 9
    assert solved(told)["play:AH"] == 122


def test_defenders_throw_their_points_on_a_trick_that_is_theirs():
    # the declarer leads his nine: the ace takes it, and the ten is thrown on it
    lost = position(PRESETS["ru-3"], "9S 9C", "AS AC", "TH KD")
    assert solved(lost) == {"play:9S": 0, "play:9C": 0}


def test_a_trump_that_a_marriage_makes_can_be_worse_than_none():
    # told, diamonds are trump and the last ace is ruffed
    found = solved(position(PRESETS["ru-2"], "KD QD AS", "AD TD 9D", points=100))
    assert found["meld:QD"] < found["play:AS"]


def test_the_points_so_far_and_the_leftovers_count():
    bare = position(PRESETS["pl-2"], "AS", "TS")
    assert solved(bare) == {"play:AS": 21}
    assert solved(replace(bare, points=40, leftovers=hand("AH JC"))) == {"play:AS": 74}


def test_cards_that_lie_can_be_taken_or_left():
    # place 1 led the ten, place 2 threw a jack: the declarer must take it or not, as the rules say
    free = position(PRESETS["nl-3"], "AS 9S", "QC", "KH", leader=1, trick="TS JS")
    # taken, 23, the nine takes the queen and the king, 7; left, no ace helps
    assert solved(free) == {"play:AS": 30, "play:9S": 0}
    assert list(solved(replace(free, rules=PRESETS["pl-3"]))) == ["play:AS"]


def test_a_claim_brings_all_and_the_marriages_in_hand():
    certain = position(PRESETS["pl-3"], "AS TS KH QH", "9S 9C 9D JD", "JS JC QC KC")
    assert solved(certain)["claim"] == solved(certain)["meld:KH"] == 100 + 41
    unseen = replace(certain, leftovers=hand("AH"), unseen=hand("AH"))
    assert "claim" not in solved(unseen)


def test_on_the_first_trick_a_marriage_waits_where_the_rules_say_so():
    early = position(PRESETS["ru-3"], "KH QH", "9H 9C", "JH JC", later=False)
    assert solved(early) == {"play:KH": 11, "play:QH": 11}
    assert not made(early, 12)
    assert made(replace(early, rules=PRESETS["nl-3"], later=True), 111)


def test_only_a_deal_in_play_is_a_position():
    with pytest.raises(EngineError, match="not in phase auction"):
        Position.of(Game(PRESETS["pl-3"], seed=seed("auction")))


def test_without_an_auction_any_seat_can_be_taken_for_the_declarer():
    game = Game(PRESETS["pl-2-draw"], seed=seed("draw"))
    assert Position.of(game) == Position.of(game, game.seat)
    other = Position.of(game, 1 - game.seat)
    assert other.leader == 1
    assert other.hands == Position.of(game).hands[::-1]


def test_four_aces_are_told_by_leading_one():
    rules = rules_of("ru-2", marriage_announcement="automatic")
    aces = position(rules, "AS AC AD AH", "TS KS TC KC")
    # a red ace makes harmless trumps; a black one makes one of the ten that falls on a red ace later
    assert solved(aces) == {"meld:AS": 251, "meld:AC": 251, "meld:AD": 272, "meld:AH": 272}
    assert made(aces, 272)


def test_a_king_melded_under_the_ten_makes_its_trump_and_leaves_it_the_trick():
    under = position(PRESETS["pl-4-all"], "KS 9H", "JS 9D", "9C", "QH", leader=2, trick="TS QS")
    assert solved(under) == {"play:KS": 0, "meld:KS": 40}


@pytest.mark.parametrize("name", ["pl-3", "natjar-3", "cz-3", "ru-3", "nl-3"])
def test_all_questions_about_a_whole_deal_have_one_answer_and_best_play_comes_to_it(name):
    game = Game(PRESETS[name], seed=seed(name))
    rng = random.Random(name)
    while game.phase != "play":
        game.apply(sensible([a for a in game.legal if a not in ("redeal", "concede")], rng))
    number, declarer = game.deal, game.current.declarer
    solver = Solver(Position.of(game))
    found = solver.points()
    value = max(found.values())
    assert solver.made(value)
    assert not solver.made(value + 1)
    assert solver.makes(value) == {action: worth >= value for action, worth in found.items()}
    action = solver.best()
    assert found[action] == value
    while game.current.played.bit_count() < 9:
        game.apply(rng.choice(game.legal))
    value = max(points_of(game).values()) if game.seat == declarer else min(points_of(game).values())
    while game.deal == number and game.seat is not None:
        game.apply(best(Position.of(game)))
    assert game.finished[number][0].points[declarer] == value


def points_of(game):
    return solved(Position.of(game))
