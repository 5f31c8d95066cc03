"""Properties of every preset and of random option mixes (hypothesis draws a number, the rest follows from it)."""

import json
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import PRESETS, Game, IllegalAction
from engine.actions import DISCARD, GIVE, MELD, PLAY
from engine.cards import ALL, TEXT
from engine.deal import Deal
from engine.options import BARREL_OPTIONS, CONCESSION_OPTIONS, OPTIONS
from engine.record import verify

from .minimax import tried
from .tables import BARRELS, CONCESSIONS, DRAWN, mixes, play_match, record_of, seed, sensible

WORDS = (
    "redeal",
    "keep",
    "dark",
    "look",
    "pass",
    "talon:0",
    "talon:1",
    "concede",
    "claim",
    "",
    "play",
    "bid:",
)
EVERY = (
    *PLAY,
    *MELD,
    *GIVE,
    *DISCARD,
    *WORDS,
    *(f"{v}:{n}" for v in ("bid", "contract") for n in range(90, 430, 5)),
)
numbers = st.integers(min_value=0, max_value=2**48)
UNCOUNTED = pytest.mark.no_cover
"""Long random play reaches no line that a test of that line does not reach; counting it only takes time."""


def rules_from(number):
    rng = random.Random(number)
    return mixes(rng), rng


def snapshot(game):
    deal = [getattr(game.current, name) for name in Deal.__slots__]
    return repr((game.standing, deal, game.seat, game.legal, game.phase, game.deal, len(game.finished)))


def conserved(game):
    """Every card is in exactly one place."""
    deal = game.current
    undrawn = deal.stock[deal.drawn :]
    places = [*deal.hands, deal.played, deal.trick, deal.discarded, sum(1 << card for card in undrawn)]
    places += [talon for index, talon in enumerate(deal.talons) if index != deal.chosen]
    total = 0
    for place in places:
        assert not total & place, "a card is in two places"
        total |= place
    assert total == ALL


def refused(game, actions):
    """Those that are not legal raise; thousands of them, so by hand."""
    for action in actions:
        if action not in game.legal:
            try:
                game.apply(action)
            except IllegalAction:
                continue
            pytest.fail(f"{action} was taken")


def checked_match(rules, word):
    rng = random.Random(word)

    def watch(game):
        conserved(game)
        assert len(set(game.legal)) == len(game.legal) > 1
        if rng.random() < 0.03:
            before = snapshot(game)
            refused(game, EVERY)
            assert snapshot(game) == before

    game = play_match(rules, word, watch=watch)
    assert game.phase == "over"
    assert game.legal == ()
    check_sums(game)
    verify(json.loads(json.dumps(record_of(game))))
    return game


def check_sums(game):
    totals = [0] * game.ruleset.players
    for deal, scores, after in game.finished:
        record = game.deals[deal.number]
        totals = [total + score for total, score in zip(totals, scores, strict=True)]
        assert totals == list(after) == record["totals"]
        if not (deal.void or deal.conceded):
            assert sum(record["points"]) == 120 + sum(value for _, _, value in deal.melds)
    assert tuple(totals) == game.result.totals
    assert len(game.finished) <= game.ruleset.deal_limit


@UNCOUNTED
@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_random_match_of_a_preset_keeps_cards_sums_and_replays_to_itself(name):
    checked_match(PRESETS[name], name)


@UNCOUNTED
@settings(max_examples=15, deadline=None)
@given(numbers)
def test_a_random_match_of_any_mix_keeps_cards_sums_and_replays_to_itself(number):
    rules, _ = rules_from(number)
    checked_match(rules, number)


@UNCOUNTED
@pytest.mark.parametrize("name", list(DRAWN))
def test_a_random_match_with_each_value_of_an_option_keeps_cards_sums_and_replays_to_itself(name):
    for value in DRAWN[name]:
        rules = mixes(random.Random(f"{name} {value}"), **{"deal_limit": 6, name: value})
        assert getattr(rules, name) == value
        checked_match(rules, f"{name} {value}")


def test_mixes_draw_every_option_and_every_word_of_it():
    assert set(DRAWN) == {option.name for option in OPTIONS}
    inner = {
        "barrel": [vars(barrel) for barrel in BARRELS if barrel],
        "concession": [vars(concession) for concession in CONCESSIONS if concession],
    }
    for option in (*OPTIONS, *BARREL_OPTIONS, *CONCESSION_OPTIONS):
        top, _, name = option.name.partition(".")
        drawn = {part[name] for part in inner[top]} if name else set(DRAWN[top])
        wanted = {True, False} if option.kind == "flag" else set(option.words)
        assert wanted <= drawn, option.name
        assert len(drawn) > 1, option.name
        assert not option.off or None in drawn, option.name


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_legal_action_applies_and_keeps_the_cards(name):
    rng, tries = random.Random(name), Counter()

    def watch(game):
        if game.deal < 3 and rng.random() < 0.3:
            for action in game.legal:
                after = tried(game, action)
                conserved(after)
                assert after.seat is None or len(after.legal) > 1
                assert len(after.actions) > len(game.actions) or after.deal > game.deal or after.seat is None
                tries[action.partition(":")[0]] += 1

    play_match(PRESETS[name], f"applies {name}", watch=watch)
    assert tries["play"] > 5


def mask(cards):
    return sum(1 << TEXT.index(card) for card in cards)


def known(rules, deal, seat):
    """The cards that ``seat`` (None: anybody) may know by the rules, worked out of the deal and the options alone."""
    cards = deal.played | deal.trick
    bids = [(who, action) for who, action in deal.actions if action == "dark" or action.startswith("bid:")]
    forehand = deal.active[0]
    if rules.talon_face_up:
        cards |= sum(deal.talons)
    elif deal.chosen >= 0:
        # one bid, the least, that could not be passed: a forced forehand's, or of the last after all others passed
        alone = deal.actions[: deal.actions.index(bids[0])] if bids else []
        passed = sum(action == "pass" for _, action in alone)
        forced = passed == rules.active - 1 or (rules.opening == "forced" and passed == 0)
        compulsory = len(bids) == 1 and bids[0][1] == f"bid:{rules.min_bid}" and forced
        shown = rules.talon_reveal == "always" or (rules.talon_reveal == "not_at_minimum" and not compulsory)
        if seat == deal.declarer or (shown and not deal.dark):
            cards |= deal.talons[deal.chosen]
    if rules.show_marriage_from is not None:
        for who, action in bids:
            number = rules.dark_bid if action == "dark" else int(action[4:])
            if number >= rules.show_marriage_from:
                cards |= shown_marriage(rules, deal.dealt[who])
    if seat is None or seat not in deal.active:
        return cards
    outbid = any(who != forehand for who, _ in bids)
    looked = (forehand, "look") in deal.actions
    if seat == forehand and deal.offered_dark and not (looked or outbid or deal.declarer >= 0):
        return cards
    cards |= deal.hands[seat] | deal.dealt[seat]
    return cards | (deal.discarded if seat == deal.declarer else 0)


def shown_marriage(rules, hand):
    """The cheapest marriage of a hand, with ``ace_marriage`` the four aces where there is no other."""
    for suit in "SCDH":
        pair = mask(["K" + suit, "Q" + suit])
        if hand & pair == pair:
            return pair
    aces = mask(["AS", "AC", "AD", "AH"])
    return aces if rules.ace_marriage and hand & aces == aces else 0


def replayed(rules, deck, steps, swap):
    """The same decisions with two cards swapped, as far as nobody else sees more of them; None where they lead elsewhere.

    Who is asked for a redeal, and keeps, shows it to nobody: such answers are left out or put in.
    """
    game = Game(rules, decks=[deck])
    for who, action in steps:
        if action == "keep":
            continue
        verb, _, card = action.partition(":")
        taken = f"{verb}:{swap.get(card, card)}" if verb in ("give", "discard") else action
        while "keep" in game.legal and taken not in game.legal:
            game.apply("keep")
        if game.seat != who or taken not in game.legal:
            return None
        game.apply(taken)
    return game


def told(game, seat):
    """All that a seat (None: anybody) is told."""
    view = game.public() if seat is None else game.view(seat)
    return json.dumps([view, game.events(seat, 0)[0]])


def public_actions(game):
    """What was done, as far as everybody sees it."""
    hidden = ("give:", "discard:")
    return [
        (who, action.partition(":")[0] if action.startswith(hidden) else action)
        for who, action in game.actions
        if action != "keep"
    ]


def swap_check(rules, word):
    """Walk through a deal; at each decision swap two cards that a viewer cannot know. Returns the swaps by viewer."""
    rng, found = random.Random(word), Counter()
    deck = [TEXT[card] for card in rng.sample(range(24), 24)]
    game, steps = Game(rules, decks=[deck]), []
    while game.seat is not None:
        # an answer about a redeal is asked for at a moment that depends on cards: none but who is asked looks then
        everybody = (*range(rules.players), None)
        for viewer in (game.seat,) if "keep" in game.legal else everybody:
            unseen = [card for card in deck if not known(rules, game.current, viewer) & mask([card])]
            if len(unseen) < 2:
                continue
            a, b = rng.sample(unseen, 2)
            swap = {a: b, b: a}
            other = replayed(rules, [swap.get(card, card) for card in deck], steps, swap)
            if other is None:
                continue
            while "keep" in other.legal and (other.phase, other.seat) != (game.phase, game.seat):
                other.apply("keep")
            if public_actions(other) != public_actions(game) or other.current.shown != game.current.shown:
                continue  # a forced move of another seat, or a marriage shown, went another way, for all to see
            found[viewer, game.phase] += 1
            assert told(other, viewer) == told(game, viewer), (viewer, game.phase, a, b)
            if viewer == game.seat:
                assert (other.seat, other.legal) == (game.seat, game.legal)
        action = sensible([a for a in game.legal if a != "redeal"] or game.legal, rng)
        steps.append((game.seat, action))
        game.apply(action)
    return found


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_swapping_cards_that_a_seat_cannot_know_changes_nothing_it_is_told(name):
    found = Counter()
    for run in range(2):
        found += swap_check(PRESETS[name], f"{name} {run}")
    for viewer in (*range(PRESETS[name].players), None):
        assert sum(count for (who, _), count in found.items() if who == viewer) > 5, viewer
    if PRESETS[name].exchange != "none":
        assert {viewer for viewer, phase in found if phase == "exchange"} == {
            *range(PRESETS[name].players),
            None,
        }


@pytest.mark.parametrize("name", list(DRAWN))
def test_swapping_unseen_cards_changes_nothing_with_any_value_of_an_option(name):
    runs = 0
    for value in DRAWN[name]:
        rules = mixes(random.Random(f"swap {name} {value}"), **{name: value})
        # some walks end at once: the deal is void, or conceded
        found = sum(sum(swap_check(rules, f"{name} {value} {run}").values()) for run in range(2))
        while found <= 10:
            runs += 1
            assert runs < 40
            found += sum(swap_check(rules, f"{name} {value} more {runs}").values())


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_views_and_events_hold_nothing_of_the_seed(name):
    secret = seed(name)
    game = Game(PRESETS[name], seed=secret)
    rng = random.Random(name)
    for _ in range(40):
        if game.seat is None:
            break
        text = "".join(told(game, seat) for seat in (*range(game.ruleset.players), None))
        assert secret.hex() not in text
        assert "seed" not in text
        game.apply(sensible(game.legal, rng))


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_views_and_events_hold_nothing_of_deals_or_cards_to_come(name):
    rng = random.Random(f"to come {name}")
    decks = [[TEXT[card] for card in rng.sample(range(24), 24)] for _ in range(3)]
    one, two = (Game(PRESETS[name], decks=[decks[0], later]) for later in decks[1:])
    everybody = (*range(PRESETS[name].players), None)
    compared = 0
    while one.seat is not None and one.deal == 0:
        for seat in everybody:
            assert told(one, seat) == told(two, seat)
            text = told(one, seat)
            for card in one.current.stock[one.current.drawn :]:
                assert TEXT[card] + '"' not in text
        compared += 1
        action = sensible([a for a in one.legal if a != "redeal"] or one.legal, rng)
        one.apply(action)
        two.apply(action)
    assert compared > 3


def test_cursors_give_every_event_once():
    game = Game(PRESETS["pl-3"], seed=seed("cursor"))
    rng = random.Random(1)
    parts, cursor = [], 0
    while game.seat is not None:
        told, cursor = game.events(1, cursor)
        parts += told
        game.apply(sensible(game.legal, rng))
    told, end = game.events(1, cursor)
    assert parts + told == game.events(1, 0)[0]
    assert game.events(1, end) == ([], end)
    assert game.events(None, 0)[1] == end
