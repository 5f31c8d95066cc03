"""The examples that the seed documents give, as they give them."""

import pytest

from engine import PRESETS, Concession, Game
from engine.cards import NUMBER, SUIT_MASK, mask_of
from engine.exchange import Conceding
from engine.scoring import Scoring

from .tables import begin_play, deck_for, rules_of, score_on, scored, table, take


def rounded(rules, points, **changes):
    chosen = rules_of(rules, **changes)
    return Scoring(chosen, Conceding(chosen)).rounded(points)


@pytest.mark.parametrize(
    ("cards", "trump", "taken_by"),
    [("9S AS JD", "D", "JD"), ("AC JH TH", "H", "TH"), ("9S AS KS", "H", "AS")],
)
def test_001_a_trick_goes_to_the_highest_trump_else_to_the_highest_of_the_led_suit(cards, trump, taken_by):
    game = table("natjar-3")
    deal = game.current
    deal.declarer, deal.contract, deal.hands[:] = 1, 100, [0, 0, 0]
    # each seat has a card of the trick and one of another suit to throw afterwards
    other = "D" if cards[1] == "C" else "C"
    for seat, card, rank in zip((1, 2, 0), cards.split(), "9QK", strict=True):
        deal.hands[seat] = mask_of([NUMBER[card], NUMBER[rank + other]])
    suit = "SCDH".index(trump)
    begin_play(game, trump=suit, trump_mask=SUIT_MASK[suit])
    for card in cards.split():
        if f"play:{card}" in game.legal:  # else the engine has played it, as the only one allowed
            game.apply(f"play:{card}")
    assert [action[5:] for _, action in deal.actions[deal.play_start :]][:3] == cards.split()
    assert deal.winners[0] == (1, 2, 0)[cards.split().index(taken_by)]


def test_000_announced_150_and_made_147_is_lost():
    assert scored("pl-3", points=[147, 0, 0], contract=150)[0][0] == -150


def test_002_played_120_made_78_and_a_marriage_of_60():
    assert scored("cz-3", points=[78 + 60, 24, 18], contract=120)[0] == [120, 20, 20]


def test_000_defenders_with_24_25_and_26_points():
    assert [rounded("pl-3", points) for points in (24, 25, 26)] == [20, 20, 30]
    assert [rounded("pl-3", points, round_half="up") for points in (24, 25, 26)] == [20, 30, 30]


def test_003_points_from_51_to_59_are_rounded_to_fives():
    assert [rounded("ru-3", n) for n in range(51, 60)] == [50, 50, 55, 55, 55, 55, 55, 60, 60]


def test_000_a_bomb_at_210_gives_the_others_110_each():
    rules = rules_of("pl-3", concession=Concession(upto="any", pays="half"))
    assert scored(rules, points=[0, 0, 0], contract=210, conceded=True)[0] == [0, 110, 110]


def test_003_a_dark_125_counts_250_either_way():
    assert scored("ru-3", points=[125, 0, 0], contract=125, dark=True)[0][0] == 250
    assert scored("ru-3", points=[124, 0, 0], contract=125, dark=True)[0][0] == -250


def test_003_a_golden_120_counts_240_either_way_and_a_concession_pays_120():
    assert scored("ru-2-gold", points=[120, 0], contract=120)[0] == [240, 0]
    assert scored("ru-2-gold", points=[119, 1], contract=120)[0] == [-240, 0]
    assert scored("ru-2-gold", points=[0, 0], contract=120, conceded=True)[0] == [-240, 120]


def test_003_with_a_marriage_of_clubs_the_limit_is_180():
    game = table("ru-2", {0: "KC QC AS JS 9D"})
    assert game.legal[-1] == "bid:180"


def test_000_limits_of_a_hand_are_120_160_180_and_300():
    for cards, limit in (("AS", 120), ("KS QS", 160), ("KC QC", 180), ("KH QH KD QD", 300)):
        hand = (cards + " JS JC 9S 9C TS TC AC").split()[:7]
        assert table("pl-3", {2: " ".join(hand)}).legal[-1] == f"bid:{limit}"


def test_000_no_bid_is_above_360():
    assert table("pl-3", {2: "KH QH KD QD KC QC AS"}).legal[-1] == "bid:360"


def test_003_a_seat_falls_off_the_barrel_by_what_it_last_stood_for_and_the_third_fall_is_zero():
    game = table("ru-3")
    game.standing.attempts[0] = 2
    _, totals = score_on(game, points=[100, 0, 20], contract=130, before=[880, 0, 0], active=(1, 2, 0))
    assert totals[0] == 750
    game.standing.attempts[0], game.standing.falls[0] = 2, 2
    _, totals = score_on(game, points=[0, 120, 0], declarer=1, before=[880, 0, 0], active=(1, 2, 0))
    assert totals[0] == 0


def test_003_a_fall_without_a_bid_costs_120_and_with_one_the_bid():
    for bids, total in (({}, 760), ({0: 105}, 775)):
        game = table("ru-3")
        game.standing.attempts[0] = 2
        _, totals = score_on(
            game, points=[0, 120, 0], declarer=1, before=[880, 0, 0], active=(1, 2, 0), last_bids=bids
        )
        assert totals[0] == total


def test_002_the_barrel_of_the_short_game_begins_at_400():
    assert scored("cz-3-short", points=[0, 40, 0], before=[0, 400, 0], contract=100)[1][1] == 400
    assert PRESETS["cz-3-short"].target == 500


@pytest.mark.parametrize(
    ("led", "thrown", "taken_by"),
    # 000: the queen lies, the king on it makes trump at once; the highest trump that lies takes the trick
    [("AS", "9S", 1), ("TH", "AS", 2), ("TH", "9D", 0)],
)
def test_000_an_over_marriage_does_not_beat_a_higher_card_of_its_suit_that_lies_already(
    led, thrown, taken_by
):
    game = table("pl-4-all", void="free", overtake="none", marriage_first_trick=True)
    deal = game.current
    deal.declarer, deal.contract = 1, 100
    for seat, card in {1: led, 2: thrown, 3: "QS", 0: "KS"}.items():
        deal.hands[seat] = (
            1 << NUMBER[card] | 1 << NUMBER["9C" if seat == 1 else ("JC", "QC", "KC")[seat - 2]]
        )
    take(begin_play(game), f"play:{led}")
    while game.seat != 0:  # who must follow has one card to play, and the engine plays it
        take(game, f"play:{thrown}" if game.seat == 2 else "play:QS")
    take(game, "meld:KS")
    spades = "SCDH".index("S")
    assert (deal.trump, deal.melds, deal.winners[0]) == (spades, [(0, spades, 40)], taken_by)


def test_a_forced_first_lead_may_be_followed_by_a_choice_and_all_cards_are_played():
    # one card each: the lead is forced, and who holds the king of the queen led may play or meld it
    chosen = rules_of("pl-2-draw", hand_size=1, over_marriage=True, marriage_first_trick=True)
    game = Game(chosen, decks=[deck_for(chosen, {1: "QS", 0: "KS"})])
    assert (game.phase, game.seat, game.legal) == ("play", 0, ("play:KS", "meld:KS"))
    take(game, "meld:KS")
    while game.deal == 0 and game.seat is not None:
        game.apply(game.legal[0])
    (deal,) = game.deals
    assert sum(action.startswith(("play", "meld")) for _, action in deal["actions"]) == 24
    assert sum(deal["points"]) == 120 + sum(value for *_, value in game.finished[0][0].melds)
