"""Properties of every preset and of random option mixes (hypothesis draws a number, the rest follows from it)."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import PRESETS, Game, IllegalAction
from engine.actions import DISCARD, GIVE, MELD, PLAY
from engine.cards import ALL, TEXT
from engine.deal import Deal
from engine.record import verify

from .tables import mixes, play_match, record_of, seed, sensible

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


def checked_match(rules, word):
    rng = random.Random(word)

    def watch(game):
        conserved(game)
        assert len(set(game.legal)) == len(game.legal) > 1
        if rng.random() < 0.03:
            before = snapshot(game)
            for action in EVERY:
                if action not in game.legal:
                    with pytest.raises(IllegalAction):
                        game.apply(action)
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


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_random_match_of_a_preset_keeps_cards_sums_and_replays_to_itself(name):
    for word in range(2):
        checked_match(PRESETS[name], f"{name} {word}")


@settings(max_examples=25, deadline=None)
@given(numbers)
def test_a_random_match_of_any_mix_keeps_cards_sums_and_replays_to_itself(number):
    rules, _ = rules_from(number)
    checked_match(rules, number)


@settings(max_examples=15, deadline=None)
@given(numbers)
def test_every_legal_action_applies(number):
    rules, rng = rules_from(number)
    game = Game(rules, seed=seed(number))
    history = []
    for _ in range(rng.randrange(40)):
        if game.seat is None:
            return
        history.append(sensible(game.legal, rng))
        game.apply(history[-1])
    for action in game.legal:
        again = Game(rules, seed=seed(number))
        for step in history:
            again.apply(step)
        again.apply(action)


def unseen_places(game, seat):
    """Positions in the deck of cards that ``seat`` has not seen, in whatever way."""
    deal = game.current
    seen = deal.played | deal.trick | deal.hands[seat] | deal.dealt[seat]
    view = game.view(seat)
    if view["hand"] is None:
        seen = deal.played | deal.trick
    for card in view["received"] + [card for _, card in view["given"]] + view["discarded"]:
        seen |= 1 << TEXT.index(card)
    talon = view["talon"] or []
    for part in talon:
        for card in part if isinstance(part, list) else [part]:
            seen |= 1 << TEXT.index(card)
    for who, suit in view["shown_marriages"]:
        ranks = {"A": ["AS", "AC", "AD", "AH"]}.get(suit, ["K" + suit, "Q" + suit])
        seen |= sum(1 << TEXT.index(card) for card in ranks) if who != seat else 0
    return [place for place, card in enumerate(deal.deck) if not seen >> card & 1]


def replayed(rules, decks, actions):
    """The same decisions on other decks; None where they are not possible or lead elsewhere."""
    game = Game(rules, decks=decks)
    for who, action in actions:
        if game.seat != who or action not in game.legal:
            return None
        game.apply(action)
    return game


def swap_check(rules, number, plies):
    rng = random.Random(number)
    decks = [[TEXT[card] for card in rng.sample(range(24), 24)]]
    game = Game(rules, decks=decks)
    history = []
    for _ in range(plies):
        if game.seat is None or game.deal > 0:
            return 0
        action = sensible([a for a in game.legal if a != "redeal"] or game.legal, rng)
        history.append((game.seat, action))
        game.apply(action)
    if game.seat is None:
        return 0
    found = 0
    seat = game.seat
    places = unseen_places(game, seat)
    for _ in range(6):
        if len(places) < 2:
            break
        i, j = rng.sample(places, 2)
        deck = list(decks[0])
        deck[i], deck[j] = deck[j], deck[i]
        other = replayed(rules, [deck], history)
        if other is None or other.seat != seat or other.phase != game.phase:
            continue
        if not same_to_all(game, other):
            continue  # a forced move of another seat went another way
        found += 1
        assert json.dumps(other.view(seat)) == json.dumps(game.view(seat))
        assert other.legal == game.legal
        assert json.dumps(other.events(seat, 0)[0]) == json.dumps(game.events(seat, 0)[0])
    return found


def same_to_all(game, other):
    public = [
        [a for a in g.actions if not a[1].startswith(("give", "discard", "keep"))] for g in (game, other)
    ]
    return public[0] == public[1] and game.current.shown == other.current.shown


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_swapping_cards_that_a_seat_cannot_see_leaves_its_view_identical(name):
    assert (
        sum(
            swap_check(PRESETS[name], f"{name} {plies} {run}", plies)
            for plies in range(28)
            for run in range(3)
        )
        > 20
    )


@settings(max_examples=80, deadline=None)
@given(numbers, st.integers(min_value=0, max_value=25))
def test_swapping_unseen_cards_leaves_the_view_identical_in_any_mix(number, plies):
    rules, _ = rules_from(number)
    swap_check(rules, number, plies)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_views_and_events_hold_nothing_of_the_seed_or_of_cards_to_come(name):
    secret = seed(name)

    def watch(game):
        text = json.dumps(game.view(game.seat)) + json.dumps(game.events(game.seat, 0)[0])
        assert secret.hex() not in text
        assert "seed" not in text

    game = Game(PRESETS[name], seed=secret)
    rng = random.Random(name)
    for _ in range(60):
        if game.seat is None:
            break
        watch(game)
        game.apply(sensible(game.legal, rng))


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
