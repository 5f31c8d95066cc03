"""The face of a table: whatever the preset and the phase, what can be pressed is what is legal."""

import dataclasses
import random

import pytest
from django.utils import translation

from engine import PRESETS, Game
from games.table_face import face, sorted_hand
from games.table_seats import distinct
from games.table_words import spoken
from tests.engine.tables import rules_of, seed, sensible, table, take

NAMES = ("Ada", "Ben", "Cleo", "Dora")


def faces(game, seat, **extra):
    """The face of ``seat`` in a game, with its legal actions if it is asked."""
    legal = game.legal if game.seat == seat else ()
    events, _cursor = game.events(seat, game.current.begins)
    names = NAMES[: game.ruleset.players]
    return face(game.ruleset, game.view(seat), legal, names, events=events, **extra)


def random_deals(name, word, deals=25):
    """Games at every decision of some deals of random play."""
    rng = random.Random(f"{word} {name}")
    game = Game(PRESETS[name], seed=seed(f"{word} {name}"))
    while game.seat is not None and game.deal < deals:
        yield game
        game.apply(sensible(game.legal, rng))


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_legal_action_is_reached_by_one_control_and_no_control_offers_another(name):
    rng, phases = random.Random(name), set()
    for game in random_deals(name, "face"):
        if game.phase not in phases or rng.random() < 0.08:
            phases.add(game.phase)
            for seat in range(game.ruleset.players):
                check(game, seat, faces(game, seat))
    assert "play" in phases


def check(game, seat, shown):
    """What is shown to ``seat`` is what is so."""
    legal = game.legal if seat == game.seat else ()
    assert sorted(shown.controls.actions()) == sorted(legal)
    assert (shown.your_turn, bool(shown.prompt)) == (bool(legal), True)
    for card in shown.controls.hand:
        assert not (card.reason and card.action)
        if legal and game.phase == "play":
            assert card.reason or card.action, "a card that cannot be played says why"
    for one in shown.seats:
        assert one.cards == game.current.hands[one.seat].bit_count(), (game.phase, one)
    turns = [one.seat for one in shown.seats if one.turn]
    if seat == game.seat or game.phase not in ("redeal", "exchanged"):
        assert turns == [game.seat]


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_card_to_be_given_or_put_away_is_chosen_first_and_sent_with_the_second_tap(name):
    met = 0
    for game in random_deals(name, "choose", deals=6):
        if game.phase != "exchange":
            continue
        met += 1
        card = game.view(game.seat)["hand"][met % 7]
        plain, picked = faces(game, game.seat), faces(game, game.seat, chosen=card)
        assert plain.controls.confirm is None
        assert picked.controls.confirm.action == next(a for a in game.legal if a.endswith(":" + card))
        assert [one.card.text for one in picked.controls.hand if one.chosen] == [card]
        assert all(one.two_taps for one in picked.controls.hand)
    assert met or PRESETS[name].exchange == "none"


def test_where_a_number_of_deals_ends_the_match_the_table_says_it():
    assert faces(Game(PRESETS["pl-3"], seed=bytes(32)), 0).deals == 0
    assert faces(Game(dataclasses.replace(PRESETS["pl-3"], deal_limit=8), seed=bytes(32)), 0).deals == 8


def test_a_chosen_card_that_is_not_held_chooses_nothing():
    game = table("pl-3", {0: "AS"})
    seat = game.seat
    assert faces(game, seat, chosen="AS").controls.confirm is None


def to_play(preset="pl-3", hands=None, **changes):
    """Seat 1 plays 100 with these hands and gives nines away where it has them."""
    game = table(preset, hands, **changes)
    while game.phase != "play":
        nines = [action for action in game.legal if action.startswith("give:9")]
        game.apply(*[*nines, *(a for a in ("pass", "keep") if a in game.legal), game.legal[0]][:1])
    return game


def test_cards_that_cannot_be_played_say_why_in_the_rule_s_own_words():
    game = to_play(hands={1: "AD KD QD 9D 9S 9C 9H", 2: "TD JD KH QH AS AC AH", 0: "TS KS QS JS TC KC QC"})
    take(game, "play:AD")
    shown = faces(game, 2)
    reasons = {card.card.text: card.reason for card in shown.controls.hand}
    assert reasons["AH"] == "You must follow diamonds."
    assert (
        next(card for card in shown.controls.hand if card.card.text == "TD").spoken
        == "ten of diamonds, playable"
    )
    assert "You must follow diamonds." in next(
        card.spoken for card in shown.controls.hand if card.card.text == "AH"
    )


def test_a_marriage_that_may_be_led_is_marked_and_melding_is_a_button_of_its_own():
    game = to_play(hands={1: "AS AC AD AH TH KH QH"}, talons=("9S 9C 9D",))
    shown = faces(game, 1)
    king = next(card for card in shown.controls.hand if card.card.text == "KH")
    assert (king.action, king.meld.action, king.meld.label) == ("play:KH", "meld:KH", "meld 100")
    assert king.spoken == "king of hearts, playable, meld 100"


def test_where_the_game_melds_by_itself_the_tap_melds_and_says_so():
    hands = {1: "AS AC AD AH TH KH QH"}
    game = to_play("cz-3", hands=hands, talons=("9S 9C 9D",))
    take(game, "play:AS")
    while game.seat != 1:
        game.apply(game.legal[0])
    king = next(card for card in faces(game, 1).controls.hand if card.card.text == "KH")
    assert (king.action, king.meld, king.melds) == ("meld:KH", None, "meld 100")


def test_the_bid_is_a_stepper_whose_cap_is_explained():
    game = table("pl-3", {2: "AS AC AD AH 9S 9C 9D"})
    stepper = faces(game, 2).controls.stepper
    assert (stepper.least, stepper.most, stepper.values) == (110, 120, (110, 120))
    assert stepper.cap == "At most 120: no marriage in hand."
    game = table("pl-3", {2: "KS QS AD AH 9S 9C 9D"})
    assert faces(game, 2).controls.stepper.cap == "At most 160: 120 and your marriages."
    game = table("natjar-3", {2: "KS QS AD AH 9S 9C 9D"})
    assert faces(game, 2).controls.stepper.cap == "A raise is one step."
    game = table("nl-3", {1: "KS QS AD AH 9S 9C 9D"})
    assert faces(game, 1).controls.stepper.cap == "At most 400 at this table."


def test_badges_tell_bid_pass_declarer_and_what_is_still_needed():
    game = take(table("pl-3", {2: "AS AC AD AH 9S 9C 9D"}), "bid:110")
    if game.seat == 0:
        take(game, "pass")
    texts = {one.name: [badge.text for badge in one.badges] for one in faces(game, 1).seats}
    assert texts == {"Ada": ["dealer", "pass"], "Ben": ["100"], "Cleo": ["110"]}
    game = to_play(hands={1: "AS AC AD AH TH KH QH"}, talons=("9S 9C 9D",))
    assert [badge.text for badge in faces(game, 0).seats[1].badges] == ["plays 100", "needs 100"]


def test_conceding_says_what_it_costs_and_is_asked_twice():
    game = table("ru-3", {1: "AS TS AD AH 9S 9C 9D"}, talons=("TC KC JC",))
    take(game, "look", "pass", "pass")
    button = next(one for one in faces(game, 1).controls.buttons if one.action == "concede")
    assert button.tone == "grave"
    assert button.hint == "No card is played. You lose 100; each opponent gets 60."


def test_cards_of_the_dark_stay_hidden_and_the_seat_still_counts_them():
    game = table("ru-3")
    shown = faces(game, 1)
    assert (shown.dark, shown.controls.hand, shown.you.cards) == (True, (), 7)
    assert [button.action for button in shown.controls.buttons] == ["dark", "look"]


def test_talons_lie_face_down_then_open_then_they_are_gone():
    game = table("pl-2", {1: "AS AC AD AH TS TC TD TH KS KC"}, talons=("9S 9C", "9D 9H"))
    assert [(talon.title, talon.hidden) for talon in faces(game, 0).talons] == [
        ("First talon", 2),
        ("Second talon", 2),
    ]
    take(game, "bid:110" if "bid:110" in game.legal else "pass")
    while game.phase == "auction":
        game.apply("pass")
    seat = game.seat
    take(game, "talon:1")
    assert [card.text for card in faces(game, seat).talons[0].cards] in (["9D", "9H"], ["9S", "9C"])
    while game.phase != "play":
        game.apply(game.legal[0])
    assert faces(game, seat).talons == ()


def test_the_last_trick_shows_who_took_it_with_which_card():
    game = to_play(hands={1: "AS AC AD AH TH KH QH"}, talons=("9S 9C 9D",))
    take(game, "play:AS")
    while len(game.view(0)["tricks"]) < 1:
        game.apply(game.legal[0])
    last = faces(game, 0).last_trick
    assert last.winner == "Ben"
    assert [card.wins for card in last.cards] == [True, False, False]
    assert last.cards[0].leads


def test_hands_are_sorted_by_suit_or_with_colours_in_turn():
    hand = ["9S", "AH", "KS", "TD", "JC"]
    assert sorted_hand(hand) == ["KS", "9S", "JC", "TD", "AH"]
    assert sorted_hand(hand, "alternating") == ["KS", "9S", "TD", "JC", "AH"]
    assert sorted_hand(hand, "no such") == sorted_hand(hand)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_what_happens_is_told_in_lines(name):
    told = set()
    for game in random_deals(name, "lines", deals=3):
        seat = game.deal % game.ruleset.players
        lines = faces(game, seat).lines
        assert lines[0].text.startswith("Deal ")
        told.update(line.text for line in lines)
    assert any(text.startswith("Trick: ") for text in told)


def test_lines_are_read_aloud_with_the_names_of_cards():
    assert spoken("Ada: 10♥") == "Ada: ten of hearts"
    with translation.override("ru"):
        assert "Т♥" not in spoken("Ada: Т♥")


def test_players_of_one_name_are_told_apart():
    assert distinct(["You", "counter", "counter"]) == ["You", "counter 1", "counter 2"]


def test_the_dealer_who_sits_out_sees_the_table_and_is_asked_nothing():
    game = table(rules_of("pl-4-sit"))
    shown = faces(game, 0)
    assert shown.you.sits_out
    assert (shown.you.cards, shown.controls.actions()) == (0, [])


@pytest.mark.parametrize("language", ["en", "pl", "cs", "ru", "nl"])
def test_the_own_seat_is_told_in_sentences_of_its_own_never_by_a_name_and_the_verb_of_others(language):
    with translation.override(language):
        told, others = set(), set()
        for game in random_deals("ru-2-gold", "own", deals=6):
            told |= {line.text for line in faces(game, 0).lines if line.seat == 0}
            others |= {line.text for line in faces(game, 1).lines if line.seat == 0}
    assert told
    assert others
    assert not {text for text in told if NAMES[0] in text}
    assert all(NAMES[0] in text for text in others)
