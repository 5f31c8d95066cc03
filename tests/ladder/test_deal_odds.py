"""Chances of hands against counting every one of them; tests of evenness against shuffles that are and are not even."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import combinations

import pytest

from engine import PRESETS, Game
from engine.cards import NINES, PACK, TEXT, marriages, mask_of, points
from engine.dealing import Redeal
from engine.hand_limits import HandLimits
from engine.shuffle import shuffled
from ladder import deal_odds as odds
from ladder.deal_tally import FIGURES, MARRIAGES, Counter, Tally, places


def share(size, holds):
    """By looking at every hand."""
    count = sum(bool(holds(mask_of(cards))) for cards in combinations(range(PACK), size))
    return Fraction(count, math.comb(PACK, size))


def test_marriages_and_nines_have_the_chances_that_counting_all_hands_gives():
    assert odds.holds(6, 2) == share(6, lambda hand: marriages(hand) & 4)
    assert odds.some_marriage(6) == share(6, marriages)
    assert odds.holds(6, 4) == share(6, lambda hand: hand & NINES == NINES)
    assert odds.some_marriage(7) == share(7, marriages) == Fraction(1369, 4807)
    assert odds.holds(1, 2) == 0
    assert odds.some_marriage(PACK) == 1
    assert odds.points(7) == 35


@pytest.mark.parametrize("name", ["pl-3", "ru-3", "natjar-3", "pl-4-all", "nl-3"])
def test_hands_that_may_be_given_back_have_the_chance_that_counting_all_hands_gives(name):
    rules = PRESETS[name]
    redeal = Redeal(rules, HandLimits(rules))
    assert odds.entitled(rules) == share(rules.hand_size, redeal.entitled_dealt)


def test_there_are_as_many_kinds_of_hands_as_hands():
    kinds = odds._kinds_of_hands()
    for size in (1, 7, 12):
        assert sum(n for kind, n in kinds.items() if kind[0] == size) == math.comb(PACK, size)


@pytest.mark.parametrize(
    ("value", "degrees", "p"),
    [(3.841459, 1, 0.05), (5.991465, 2, 0.05), (11.344867, 3, 0.01), (89.391208, 69, 0.05), (0.0, 5, 1.0)],
)
def test_the_tail_of_chi_square_is_that_of_the_tables(value, degrees, p):
    assert odds.chi_square_p(value, degrees) == pytest.approx(p, rel=1e-5)


def test_the_normal_tail_is_that_of_the_tables():
    assert odds.normal_p(1.959964) == pytest.approx(0.05, rel=1e-5)
    assert odds.normal_p(-2.575829) == pytest.approx(0.01, rel=1e-5)


def tally_of(rules, decks):
    tally = Tally.empty(rules)
    counter = Counter(rules, tally)
    deals = [
        {"deck": [TEXT[card] for card in deck], "dealer": number % rules.players, "void": False}
        for number, deck in enumerate(decks)
    ]
    counter.add({"deals": deals})
    return tally


def even_decks(count, seed):
    return [shuffled(random.Random(seed).randbytes(32), number, 0) for number in range(count)]


def test_p_values_of_the_real_shuffle_are_spread_evenly():
    rules = PRESETS["pl-3"]
    sizes = [place.size for place in places(rules)]
    found = []
    for seed in range(60):
        value, degrees = odds.chi_square(tally_of(rules, even_decks(150, seed)).cards, sizes)
        found.append(odds.chi_square_p(value, degrees))
    assert degrees == 69
    # Sum of 60 even ones: 30 with a deviation of sqrt(60 / 12); five of them is one in two million.
    assert abs(sum(found) - 30) < 5 * math.sqrt(60 / 12)
    assert 2 <= sum(p < 0.25 for p in found) <= 30


def test_figures_of_the_real_shuffle_are_within_what_chance_allows():
    rules = PRESETS["ru-3"]
    tally = tally_of(rules, even_decks(4000, 7))
    expected = {name: 3 * odds.holds(7, 2) for name in MARRIAGES} | {
        "with_marriage": 3 * odds.some_marriage(7),
        "four_nines": 3 * odds.holds(7, 4),
        "entitled": 3 * odds.entitled(rules),
    }
    for name in FIGURES:
        row = tally.figures[name]
        z = odds.z_of_mean(row.number, row.total, row.squares, expected[name])
        assert z is not None, name
        assert abs(z) < 5, name
    for row in tally.by_place + tally.by_seat:
        z = odds.z_of_mean(row.number, row.total, row.squares, odds.points(7))
        assert z is not None
        assert abs(z) < 5
    assert sum(row.number for row in tally.by_seat) == 3 * tally.decks == 12_000


def test_a_shuffle_that_favours_forehand_is_noticed():
    rules = PRESETS["pl-3"]
    decks = even_decks(400, 3)
    for deck in decks[::8]:
        ace = deck.index(23)
        deck[0], deck[ace] = deck[ace], deck[0]
    tally = tally_of(rules, decks)
    value, degrees = odds.chi_square(tally.cards, [place.size for place in places(rules)])
    assert odds.cell_z(tally.cards[0][23], 400, 7) > 3
    assert value > degrees
    cheated = tally_of(rules, [sorted(deck) for deck in decks])
    worst, _ = odds.chi_square(cheated.cards, [place.size for place in places(rules)])
    assert odds.chi_square_p(worst, degrees) < 1e-12


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_places_of_every_preset_take_all_cards_and_agree_with_the_hands_the_engine_deals(name):
    rules = PRESETS[name]
    found = places(rules)
    assert sum(place.size for place in found) == PACK
    game = Game(rules, seed=bytes(32))
    deal = game.current
    deck = [TEXT[card] for card in deal.deck]
    tally = Tally.empty(rules)
    Counter(rules, tally).add({"deals": [{"deck": deck, "dealer": deal.dealer, "void": True}]})
    for index, seat in enumerate(deal.active):
        held = mask_of([card for card in range(PACK) if tally.cards[index][card]])
        assert held == deal.dealt[seat]
        assert tally.by_seat[seat].total == points(held)
    assert (tally.decks, tally.void, tally.matches) == (1, 1, 1)
    assert Tally.from_json(tally.to_json()) == tally
