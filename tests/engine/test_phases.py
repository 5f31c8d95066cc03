"""The phase table holds for every walk of a game, and small endings have a pinned number of lines."""

import copy

import pytest

from engine import PHASES, PRESETS, Game
from engine.cards import NUMBER, mask_of

from .tables import mixes, play_match, rules_of, seed, table


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


@pytest.mark.parametrize(
    ("rules", "count"), [("pl-3", 24), ("natjar-3", 36), ("cz-3", 12), ("ru-3", 66), ("nl-3", 48)]
)
def test_the_number_of_lines_of_a_small_ending_is_pinned(rules, count):
    assert perft(ending(rules, FOUR)) == count


def test_perft_counts_melds_and_over_marriages():
    rules = rules_of("pl-4-all")
    hands = ["AS KC 9H", "KS QC AH", "JS KH QH", "9S QS JH"]
    assert perft(ending(rules, hands)) == 1
