"""The phase table holds for every walk of a game, and small endings have a pinned number of lines."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import PHASES, PRESETS, Game
from engine.cards import ALL, NUMBER, mask_of

from .minimax import tried
from .plain_play import lines
from .tables import begin_play, deck_for, rules_of, seed, sensible, table, take


class Walker(Game):
    """A game that keeps the steps from phase to phase in the set that it is given."""

    steps: set[tuple[str, str]]

    @property
    def phase(self):
        return self.__dict__["phase"]

    @phase.setter
    def phase(self, phase):
        before = self.__dict__.get("phase", phase)
        if phase != before:
            self.steps.add((before, phase))
        self.__dict__["phase"] = phase


def walker(rules, steps, **given):
    return type("Walker", (Walker,), {"steps": steps})(rules_of(rules), **given)


def test_games_walk_along_every_arrow_of_the_table_and_no_other():
    steps = set()
    for name in sorted(PRESETS):
        game, rng = walker(name, steps, seed=seed(f"walk {name}")), random.Random(name)
        while game.seat is not None and game.deal < 12:
            game.apply(sensible(game.legal, rng))
    # a match to its end; decks that are used up; a bomb where there is no exchange; deals void before and after it
    game, rng = walker("cz-3-short", steps, seed=seed("end")), random.Random(1)
    while game.seat is not None:
        game.apply(sensible(game.legal, rng))
    rules = PRESETS["pl-2-twelve"]
    take(walker(rules, steps, decks=[deck_for(rules, {})]), "pass", "concede")
    rules = PRESETS["pl-3"]
    take(walker(rules, steps, decks=[deck_for(rules, {})]), "pass", "pass", "concede")
    rules = PRESETS["nl-3"]
    nines = walker(rules, steps, decks=[deck_for(rules, {1: "9S 9C 9D AS AC AD AH"}, ["9H TS TC"])])
    take(nines, "bid:100", "pass", "pass", "give:TS", "give:TC", "redeal")
    rules = PRESETS["cz-3"]
    take(walker(rules, steps, decks=[deck_for(rules, {2: "9S 9C 9D 9H KS JC JD"})]), "redeal")
    assert steps == {(before, after) for before, following in PHASES.items() for after in following}


def ending(rules, hands, **fields):
    """A game whose play begins with these hands, seat 1 on lead as declarer."""
    game = table(rules) if isinstance(rules, str) else Game(rules, seed=seed(1))
    deal = game.current
    deal.hands[:] = [mask_of([NUMBER[card] for card in hand.split()]) for hand in hands]
    deal.played = ALL & ~(sum(deal.hands) | mask_of(fields.get("stock", ())))
    deal.talons = ()
    return begin_play(
        game, **{"declarer": 1, "bidder": 1, "bid": 100, "contract": 100, "stock": (), **fields}
    )


def perft(game):
    """How many ways there are to play the deal out."""
    total = 0
    for action in game.legal:
        again = tried(game, action)
        total += 1 if again.deal != game.deal or again.seat is None else perft(again)
    return total


FOUR = ["AS TS 9H KH", "KS QS AH QH", "JS 9S TH JH"]
SMALL = {"pl-3": 472, "natjar-3": 404, "cz-3": 264, "ru-3": 504, "nl-3": 504}


@pytest.mark.parametrize("rules", sorted(SMALL))
def test_the_number_of_lines_of_a_small_ending_is_pinned_and_counted_twice(rules):
    hands = {seat: hand.split() for seat, hand in enumerate(FOUR)}
    chosen = replace(PRESETS[rules], claim=False)
    assert lines(chosen, hands, 1, [1, 2, 0]) == SMALL[rules]
    assert perft(ending(chosen, FOUR)) == SMALL[rules]


def test_perft_counts_over_marriages():
    hands = ["AS KC 9H", "KS QC AH", "JS KH QH", "9S QS JH"]
    rules = PRESETS["pl-4-all"]
    assert perft(ending(rules, hands)) == 56
    assert lines(rules, {seat: hand.split() for seat, hand in enumerate(hands)}, 1, [1, 2, 3, 0]) == 56


def test_perft_counts_two_players():
    hands = ["AS KC 9H QH", "KS QS AH TH"]
    rules = replace(PRESETS["pl-2"], claim=False)
    assert perft(ending(rules, hands)) == 128
    assert lines(rules, dict(enumerate(hand.split() for hand in hands)), 1, [1, 0]) == 128


def test_perft_counts_cards_drawn_from_the_stock():
    # king led, ace on it: then 2 leads, each with 2 answers; ten led: then king and queen, each led or melded, 1 answer
    hands, stock = ["AS 9H", "KS TH"], (NUMBER["QS"], NUMBER["JH"])
    assert perft(ending(PRESETS["pl-2-draw"], hands, declarer=-1, stock=stock)) == 8


def test_perft_counts_ace_marriages():
    # who follows has no choice: the aces in any order, the first of them led or melded
    hands = ["9S 9C 9D 9H", "AS AC AD AH", "JS JC JD JH"]
    plain = replace(PRESETS["ru-3"], ace_marriage=0)
    assert perft(ending(plain, hands, winners=[1])) == 24
    assert perft(ending(PRESETS["ru-3"], hands, winners=[1])) == 48


def test_perft_counts_claims():
    # who follows has no choice; a claim instead of the first lead, or of the second after any of three cards
    hands = ["9S 9C 9D", "AS AC AD", "JS JC JD"]
    without = replace(PRESETS["pl-3"], claim=False)
    assert perft(ending(without, hands)) == 6
    assert perft(ending(PRESETS["pl-3"], hands)) == 10


@settings(max_examples=60, deadline=None)
@given(st.integers(min_value=0, max_value=2**40))
def test_engine_and_plain_play_count_the_same_lines_of_any_ending(number):
    rng = random.Random(number)
    rules = replace(
        PRESETS[rng.choice(["pl-3", "cz-3", "nl-3", "natjar-3", "pl-4-all"])],
        claim=False,
        over_marriage=rng.random() < 0.7,
        marriage_first_trick=rng.random() < 0.5,
        overtake=rng.choice(["all", "second", "none"]),
        void=rng.choice(["free", "beat", "trump"]),
        marriage_lead=rng.choice(["queen", "either"]),
        marriage_announcement=rng.choice(["optional", "automatic"]),
    )
    suits = rng.sample("SCDH", 2)
    cards = rng.sample([rank + suit for suit in suits for rank in "9JQKTA"], 3 * rules.players)
    hands = [cards[seat :: rules.players] for seat in range(rules.players)]
    order = [(1 + step) % rules.players for step in range(rules.players)]
    expected = lines(rules, dict(enumerate(hands)), 1, order)
    assert perft(ending(rules, [" ".join(hand) for hand in hands])) == expected
