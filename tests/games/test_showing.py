"""What a table shows to everybody holds no card that somebody may not see."""

import copy
import json
import random

import pytest

from engine import PRESETS, Game
from engine.cards import TEXT, hand_text
from games.showing import public_state

NAMES = ("ann", "bob", "cyd", "dan")


def hidden(game):
    """Cards of the deal in progress that somebody at the table may not have seen: all but what each may know."""
    deal = game.current
    seen = set()
    if deal.face_up:
        seen |= {card for talon in deal.talons for card in hand_text(talon)}
    if deal.chosen >= 0 and deal.talon_public:
        seen |= set(hand_text(deal.talon))
    seen |= {TEXT[card] for card in deal.cut}
    seen |= {action.partition(":")[2] for _, action in deal.actions if action.startswith(("play:", "meld:"))}
    return set(TEXT) - seen


def words(value):
    """Every text in a JSON value, split at colons."""
    if isinstance(value, dict):
        return {word for key, item in value.items() if key != "names" for word in words(item)}
    if isinstance(value, list | tuple):
        return {word for item in value for word in words(item)}
    return set(value.split(":")) if isinstance(value, str) else set()


@pytest.mark.parametrize("preset", PRESETS)
def test_no_hidden_card_is_shown_at_any_moment_of_random_games(preset):
    rules = PRESETS[preset]
    for number in range(3):
        draw = random.Random(number)
        game = Game(rules, seed=draw.randbytes(32))
        while game.seat is not None and len(game.deals) < 3:
            state = json.loads(json.dumps(public_state(game, NAMES[: rules.players])))
            found = words(state) & hidden(game)
            shown_at_end = {
                card for event in state["events"] if event["event"] == "draw" for card in [event["card"]]
            }
            assert shown_at_end <= {None}
            assert not found, (preset, found, state)
            assert not {"hand", "dealt", "received", "given", "discarded", "you", "seed"} & set(state["view"])
            game.apply(draw.choice(game.legal))


@pytest.mark.parametrize("preset", PRESETS)
def test_a_state_is_the_same_whatever_the_unseen_cards_are(preset):
    """Two cards of two hands change places, before anything was played: nobody can tell from what is shown."""
    rules = PRESETS[preset]
    draw = random.Random(8)
    for number in range(10):
        game = Game(rules, seed=random.Random(number).randbytes(32))
        while game.seat is not None and game.phase not in ("contract", "play"):
            game.apply(draw.choice(game.legal))
        if game.seat is None:
            continue
        other = copy.deepcopy(game)
        deal, (first, second) = other.current, draw.sample(sorted(other.current.active), 2)
        one, two = (min(set(hand_text(deal.hands[seat]))) for seat in (first, second))
        masks = [1 << TEXT.index(card) for card in (one, two)]
        hands = list(deal.hands)
        hands[first] += masks[1] - masks[0]
        hands[second] += masks[0] - masks[1]
        deal.hands = hands
        assert public_state(other, NAMES) == public_state(game, NAMES)


def test_of_the_deal_before_only_the_outcome_is_told():
    game = Game(PRESETS["pl-3"], seed=bytes(32))
    draw = random.Random(3)
    assert public_state(game, NAMES[:3])["before"] is None
    while not game.deals:
        game.apply(draw.choice(game.legal))
    before = public_state(game, NAMES[:3])["before"]
    assert before == {key: game.deals[0][key] for key in before}
    assert not {"deck", "actions"} & set(before)
