"""The phase table holds for every walk of a game, and small endings have a pinned number of lines."""

import copy
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import PHASES, PRESETS, Game
from engine.cards import NUMBER, mask_of

from .plain_play import lines
from .tables import play_match, seed, table


def test_a_game_walks_along_the_table_only(monkeypatch):
    steps = set()
    enter = Game._enter

    def watched(game, phase):
        steps.add((getattr(game, "was", "deal"), phase))
        game.was = phase
        return enter(game, phase)

    monkeypatch.setattr(Game, "_enter", watched)
    for name in sorted(PRESETS):
        play_match(PRESETS[name], f"walk {name}")
    for before, after in steps:
        assert before == after or after in PHASES[before]
    assert len({after for _, after in steps}) == len(PHASES) - 1


def ending(rules, hands, **fields):
    """A game whose play begins with these hands, seat 1 on lead as declarer."""
    game = table(rules) if isinstance(rules, str) else Game(rules, seed=seed(1))
    deal = game.current
    deal.hands[:] = [mask_of([NUMBER[card] for card in hand.split()]) for hand in hands]
    deal.declarer, deal.bidder, deal.bid, deal.contract = 1, 1, 100, 100
    for name, value in fields.items():
        setattr(deal, name, value)
    game.legal = game._tricks.enter(deal)
    game.phase, game.seat = "play", deal.seat
    return game


def perft(game):
    """How many ways there are to play the deal out."""
    total = 0
    for action in game.legal:
        again = copy.deepcopy(game)
        number = again.deal
        again.apply(action)
        total += 1 if again.deal != number or again.seat is None else perft(again)
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
