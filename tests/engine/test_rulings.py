"""The rulings of rules.md section 10, each by its number."""

from collections import Counter

import pytest

from engine import PRESETS, Game
from engine.cards import ALL, NUMBER, SUIT_MASK, mask_of
from engine.shuffle import cut_cards, cut_costs, shuffled

from .tables import begin_play, finish, rules_of, score_on, scored, seed, table, take

S, C, D, H = range(4)


def asked(legal, verb):
    return [action[len(verb) + 1 :] for action in legal if action.startswith(verb + ":")]


def start_of_play(game, *before):
    """Forehand takes it at 100, gives or discards the first cards, plays the lowest contract."""
    take(game, *before)
    while game.phase != "play":
        game.apply(next(a for a in game.legal if a not in ("redeal", "concede") and not a.startswith("bid:")))
    return game


def lay(rules, hands, **fields):
    """The play of a deal with just these hands ({seat: "KH QH"}), seat 1 the declarer and on lead."""
    game = table(rules)
    deal = game.current
    for seat in range(game.ruleset.players):
        deal.hands[seat] = mask_of([NUMBER[card] for card in hands.get(seat, "").split()])
    deal.played = ALL & ~sum(deal.hands)
    deal.talons = ()
    return begin_play(game, declarer=1, bidder=1, bid=100, contract=100, **fields)


def test_r1_every_card_falls_on_every_place_about_equally_often():
    decks = [shuffled(seed("r1"), number, 0) for number in range(4800)]
    counts = Counter(place for deck in decks for place in enumerate(deck))
    assert len(counts) == 24 * 24  # pairs of a place and a card, 200 of each on average
    assert max(counts.values()) < 270
    assert min(counts.values()) > 140


def test_r2_a_bid_may_jump_and_stepped_bidding_is_an_option():
    hand = {2: "KS QS AS JC JD JH 9H"}
    assert asked(table("pl-3", hand).legal, "bid") == ["110", "120", "130", "140", "150", "160"]
    assert asked(table("cz-3", hand).legal, "bid") == ["110", "120", "130", "140", "150", "160"]
    assert asked(table("pl-3", hand, jump_bids=False).legal, "bid") == ["110"]


@pytest.mark.parametrize("rules", ["pl-3", "cz-3"])
def test_r3_who_follows_a_trumped_lead_need_not_play_high(rules):
    # 000: queen of hearts led, jack of diamonds trumps it, the third holds jack and ace of hearts
    assert follow(rules, "JH AH", "QH", "JD", trump=D, position=2) == "AH JH"
    assert follow(rules, "JH AH", "QH", "QH", trump=D, position=2) == "AH"


def follow(rules, hand, led, winning, trump=-1, position=1):
    """What seat 0 may play to a trick as second (after seat 1) or third (after seats 2 and 1) player."""
    held, top, first = hand.split(), NUMBER[winning], NUMBER[led]
    spare = [card for card in range(24) if card not in {top, first, *(NUMBER[text] for text in held)}]
    game = table(rules, claim=False)
    deal = game.current
    size = len(held)
    deal.hands[:] = [
        mask_of([NUMBER[text] for text in held]),
        mask_of([*spare[: size - 1], top]),
        mask_of(spare[size : 2 * size if position == 1 else 2 * size - 1]),
    ]
    deal.active, deal.next_seat, deal.seat, deal.position = (1, 0, 2), (2, 0, 1), 1, position - 1
    deal.trump, deal.trump_mask = trump, SUIT_MASK[trump] if trump >= 0 else 0
    deal.led_mask, deal.beating = SUIT_MASK[first // 6], 1 << top
    deal.trick = 1 << first if position == 2 else 0
    return _asked(game, "play:" + winning)


def _asked(game, action):
    """The cards that seat 0 may play after ``action``: two of them, else the one that was forced."""
    deal = game.current
    before = len(deal.actions)
    game.phase, game.legal = "play", (action,)
    game.apply(action)
    forced = [play[5:] for seat, play in deal.actions[before:] if seat == 0]
    return forced[0] if forced else " ".join(play[5:] for play in deal.legal)


def test_r4_only_the_second_player_must_beat_and_trump_if_that_beats():
    assert follow("natjar-3", "AS JS 9H", "KS", "KS") == "AS"
    assert follow("natjar-3", "AS JS 9H", "KS", "KS", position=2) == "AS JS"
    assert follow("natjar-3", "AC 9H", "KS", "KS", trump=H) == "9H"
    assert follow("natjar-3", "AC 9H", "KS", "KS", trump=H, position=2) == "AC 9H"


def test_r5_a_void_seat_trumps_even_too_low():
    assert follow("cz-3", "AC 9H", "KS", "JH", trump=H, position=2) == "9H"
    assert follow("cz-3", "AC 9H TH", "KS", "JH", trump=H, position=2) == "TH"
    assert follow("pl-3", "AC 9H", "KS", "JH", trump=H, position=2) == "AC 9H"


def test_r6_a_void_seat_plays_anything():
    assert follow("ru-3", "AC 9H", "KS", "KS", trump=H) == "AC 9H"
    assert follow("ru-3", "AS JS", "KS", "KS") == "AS JS"


def test_r7_a_void_seat_trumps_but_not_necessarily_higher():
    assert follow("nl-3", "AC AH 9H", "KS", "JH", trump=H, position=2) == "AH 9H"


@pytest.mark.parametrize("rules", ["pl-3", "natjar-3"])
def test_r8_a_marriage_may_be_melded_on_the_first_trick(rules):
    game = start_of_play(table(rules, {1: "KS QS AS TS AC TC AD"}))
    assert "meld:QS" in game.legal


@pytest.mark.parametrize("rules", ["cz-3", "ru-3", "nl-3"])
def test_r9_after_taking_a_trick_means_not_on_the_first_trick(rules):
    before = {"cz-3": [], "ru-3": ["look"], "nl-3": ["bid:100"]}[rules]
    hands = {1: "KS QS AS TS AC TC AD", 2: "AH TH 9H KC QC TD KD", 0: "KH QH JH JC 9C QD JD"}
    game = start_of_play(table(rules, hands), *before)
    assert not asked(game.legal, "meld")
    take(game, "play:AC")
    while game.seat != 1:
        game.apply(game.legal[-1])
    assert "meld:QS" in game.legal


def test_r10_a_meld_makes_trump_in_the_trick_in_which_it_is_led():
    # spades were trump before: a nine of spades under the queen of hearts is a trump no more
    game = lay("pl-3", {1: "KH QH", 2: "9S 9C", 0: "AD TD"}, trump=S, trump_mask=SUIT_MASK[S], winners=[1])
    take(game, "meld:QH")
    assert game.view(1)["trump"] == "H"
    deal = game.current
    take(game, "play:9S", "play:TD")
    assert deal.winners[1] == 1


def test_r11_the_suit_of_the_ace_led_becomes_trump():
    hands = {1: "AS AC AD AH TS KS 9S", 2: "JS", 0: "QS"}
    game = take(
        table("ru-3", hands, ["QC JC 9C"]), "look", "pass", "pass", "give:QC", "give:JC", "contract:100"
    )
    assert not asked(game.legal, "meld")
    take(game, "play:TS")
    while game.seat != 1:
        game.apply(game.legal[-1])
    assert asked(game.legal, "meld") == ["AS", "AC", "AD", "AH"]
    take(game, "meld:AD")
    assert game.current.trump == D
    assert game.current.melds == [(1, 4, 200)]


def test_r12_bids_are_multiples_of_five():
    game = take(table("ru-3", {2: "KS QS"}), "look")
    assert asked(game.legal, "bid")[:2] == ["105", "110"]


def test_r13_on_the_barrel_a_contract_of_120_finishes():
    assert scored("ru-3", points=[120, 0, 0], contract=120, before=[880, 0, 0])[1][0] == 1000
    assert scored("ru-3", points=[120, 0, 0], contract=115, before=[880, 0, 0])[1][0] == 880


def test_r14_a_dark_bid_may_be_outbid_and_the_deal_is_ordinary():
    game = take(table("ru-3", {2: "KH QH AH"}), "dark")
    assert game.view(1)["hand"] is None
    take(game, "bid:125")
    assert game.view(1)["hand"] is not None
    assert game.view(1)["multiplier"] == 1


def test_r15_the_server_s_deal_is_never_a_misdeal_and_costs_the_dealer_nothing():
    for number in range(200):
        game = Game(PRESETS["ru-3"], seed=seed(f"r15 {number}"))
        deal = game.current
        places = [*deal.hands, *deal.talons]
        assert [place.bit_count() for place in places] == [7, 7, 7, 3]
        assert sum(places) == ALL
        assert game.totals[deal.dealer] == 0


def test_r16_a_conceded_dark_or_golden_deal_is_doubled():
    assert scored("ru-3", points=[0, 0, 0], contract=120, conceded=True, dark=True)[0] == [-240, 120, 120]
    assert scored("ru-2-gold", points=[0, 0], contract=120, conceded=True)[0] == [-240, 120]


def test_r17_a_sitting_dealer_s_points_are_rounded_and_nothing_on_the_barrel():
    assert scored("ru-4", points=[0, 120, 0, 0], declarer=1, sitter=0, bonus=13)[0][0] == 15
    fields = {"declarer": 1, "sitter": 0, "bonus": 13, "before": [880, 0, 0, 0]}
    assert scored("ru-4", points=[0, 120, 0, 0], **fields)[0][0] == 0


def test_r18_the_talon_is_dealt_face_down_and_shown_after_the_auction():
    game = table("nl-3", talons=["AS TS KS"])
    assert game.view(1)["talon"] is None
    take(game, "bid:100", "pass", "pass")
    assert game.view(2)["talon"] == ["AS", "TS", "KS"]


def test_r19_the_last_who_has_not_passed_plays_at_100():
    game = take(table("nl-3"), "pass", "pass")
    assert (game.current.declarer, game.current.bid) == (0, 100)


def test_r20_the_declarer_s_points_are_not_rounded_before_the_comparison():
    assert scored("nl-3", points=[118, 2, 0], contract=120)[0][0] == -120
    assert scored("pl-3", points=[147, 0, 3], contract=150)[0][0] == -150


def test_r21_the_score_before_the_deal_counts_and_a_defender_below_900_may_finish():
    assert scored("natjar-3", points=[100, 150, 0], before=[0, 890, 0])[1][1] == 1040
    assert scored("natjar-3", points=[100, 150, 0], before=[0, 900, 0])[1][1] == 900
    assert scored("natjar-3", points=[100, 0, 0], before=[899, 0, 0])[1][0] == 999


def test_r22_a_made_contract_without_110_or_a_marriage_is_held_at_990():
    made = {"points": [130, 0, 0], "before": [950, 0, 0]}
    assert scored("natjar-3", contract=100, had_marriage=True, **made)[1][0] == 990
    assert scored("natjar-3", contract=110, had_marriage=False, **made)[1][0] == 990
    assert scored("natjar-3", contract=110, had_marriage=True, **made)[1][0] == 1060


def test_r23_a_failed_contract_that_brings_the_score_below_800_leaves_the_barrel():
    game = table("cz-3")
    _, totals = score_on(game, points=[0, 60, 60], contract=120, before=[810, 0, 0])
    assert totals[0] == 690
    assert game.view(0)["barrel"][0]["on"] is False


def test_r24_a_bomb_s_60_or_a_sitter_s_bonus_that_would_reach_1000_gives_990():
    assert scored("pl-3", points=[0, 0, 0], conceded=True, before=[0, 950, 0])[1][1] == 990
    fields = {"declarer": 1, "sitter": 0, "bonus": 100, "before": [970, 0, 0, 0]}
    assert scored("pl-4-sit", points=[0, 120, 0, 0], **fields)[1][0] == 990
    assert scored("pl-3", points=[0, 0, 0], conceded=True, before=[0, 995, 0])[1][1] == 995


@pytest.mark.parametrize(
    ("diamond", "last", "points"),
    [("JD", 1, [10 + 11 + 2, 2 + 4 + 11 + 10]), ("AD", 0, [10 + 11 + 2 + 11 + 4 + 11 + 10, 0])],
)
def test_r25_the_open_talon_is_taken_two_are_discarded_and_go_to_the_last_trick(diamond, last, points):
    game = table("pl-2-open", talons=["AS TS"])
    assert game.view(0)["talon"] == game.view(1)["talon"] == ["AS", "TS"]
    take(game, "pass")
    take(game, "discard:AS", "discard:TS")
    assert game.view(0)["discarded"] == []
    assert game.view(1)["discarded"] == ["AS", "TS"]
    # the declarer, seat 1, loses two tricks; the discards are his who takes the third
    deal = game.current
    for seat, hand in {0: f"AC TC {diamond}", 1: "9C JC KD"}.items():
        deal.hands[seat] = mask_of([NUMBER[card] for card in hand.split()])
    begin_play(game, contract=100, stock=())
    take(game, "play:9C", "play:TC", "play:AC")
    assert deal.winners == [0, 0, last]
    assert game.deals[0]["points"] == points


def test_r26_the_draw_form_follows_suit_throughout():
    game = table("pl-2-draw", {1: "KS", 0: "9S JS AS"})
    take(game, "play:KS")
    assert game.current.actions[1] == (0, "play:AS")
    # stock left or not: jacks do not beat, but they follow
    game = table("pl-2-draw", {1: "AS", 0: "9S JS TC"})
    take(game, "play:AS")
    assert game.view(0)["stock"] == 12
    assert (game.seat, game.legal) == (0, ("play:JS", "play:9S"))


def test_r27_four_players_with_six_cards_have_an_auction_that_forehand_opens():
    game = table("pl-4-all")
    assert game.actions == [(1, "bid:100")]
    assert game.seat == 2


def test_r28_a_king_right_after_the_neighbour_s_queen_may_be_melded_at_once():
    hands = {1: "QS AC TC AD TD AH", 2: "KS 9S JC JD JH 9H", 3: "AS TS KC KD KH QC"}
    game = table("pl-4-all", hands)
    take(game, "pass", "pass", "pass", "contract:100", "play:QS")
    assert game.legal == ("play:KS", "meld:KS")
    take(game, "meld:KS")
    assert game.current.trump == S
    assert game.current.points[2] == 40


def test_r28_a_king_is_not_melded_when_another_card_lies_between_it_and_the_queen():
    hands = {1: "QS AC TC AD TD AH", 2: "9S JS JC JD JH TH", 3: "KS AS KC KD KH QC"}
    game = table("pl-4-all", hands, overtake="none")
    take(game, "pass", "pass", "pass", "contract:100", "play:QS", "play:9S")
    assert (game.seat, game.legal) == (3, ("play:AS", "play:KS"))


def test_r28_a_king_is_not_melded_on_a_queen_of_another_suit():
    hands = {1: "QS AC TC AD TD AH", 2: "KC JC JD JH 9H 9C", 3: "AS TS KS KD KH QC"}
    game = table("pl-4-all", hands)
    take(game, "pass", "pass", "pass", "contract:100", "play:QS")
    assert game.seat == 2
    assert "play:KC" in game.legal
    assert not asked(game.legal, "meld")


@pytest.mark.parametrize("rules", ["pl-3", "cz-3"])
def test_r29_a_marriage_bars_a_redeal_for_four_nines_too(rules):
    assert table(rules, {2: "9S 9C 9D 9H KS JC JD"}).legal == ("redeal", "keep")
    assert table(rules, {2: "9S 9C 9D 9H KS QS JD"}).phase == "auction"


def test_r30_a_bid_of_130_shows_the_cheapest_marriage_once():
    game = table("natjar-3", {2: "KC QC KH QH AS AC AD", 0: "KS QS AH TH TS TC TD"})
    take(game, "bid:110", "bid:120", "pass", "bid:130")
    assert game.view(0)["shown_marriages"] == [[2, "C"]]
    take(game, "bid:140", "bid:150")
    assert game.view(1)["shown_marriages"] == [[2, "C"], [0, "S"]]


def test_r31_equal_totals_put_the_declarer_ahead_then_the_order_from_forehand():
    game = table("nl-3")
    score_on(game, points=[0, 120, 0], declarer=1, contract=100, before=[1000, 900, 1000])
    assert game.result.ranks == (3, 1, 2)
    # seat 0 is last from forehand, seat 1, and ahead as the declarer; those equal behind it keep that order
    game = table("nl-3")
    score_on(game, points=[120, 0, 0], declarer=0, contract=100, before=[900, 1000, 1000])
    assert game.result.ranks == (1, 2, 3)


def test_r32_a_bolt_is_a_deal_whose_rounded_score_is_zero_and_the_third_costs_120():
    game = table("ru-3")
    game.standing.bolts[1:] = [2, 2]
    scores, _ = score_on(game, points=[118, 2, 0], declarer=0, contract=100, active=(1, 2, 0))
    assert scores == [100, -120, -120]
    assert game.standing.bolts == [0, 0, 0]


def test_r33_a_claim_is_offered_only_when_certain_from_the_declarer_s_own_knowledge():
    game = table("pl-3", {1: "AS TS AC TC AD TD AH"}, ["TH 9S 9C"])
    take(game, "pass", "pass", "give:9S", "give:9C", "contract:120")
    assert game.legal[-1] == "claim"
    take(game, "claim")
    assert game.deals[0]["points"][1] == 120
    assert game.deals[0]["scores"][1] == 120


@pytest.mark.parametrize(
    ("mine", "theirs", "offered"),
    [
        ("AS TS KS", ["QS JS 9S", "AC TC KC"], True),
        ("AS TS JS", ["QS KS 9S", "AC TC KC"], False),  # one card short: a king and a queen are out
        ("AS TS 9H", ["QS KS 9S", "JH TC KC"], False),  # the jack of hearts may be kept to the end
        ("AS TS 9H", ["QS KS 9S", "JS TC KC"], True),  # no heart is out
    ],
)
def test_r33_a_claim_needs_every_card_left_to_be_the_highest_of_its_suit(mine, theirs, offered):
    game = lay("pl-3", {1: mine, 2: theirs[0], 0: theirs[1]})
    assert ("claim" in game.legal) is offered


def test_r33_a_trump_outside_or_a_talon_that_was_not_taken_bars_a_claim():
    hands = {1: "AS TS", 2: "KS 9C", 0: "AD AC"}
    assert "claim" in lay("pl-3", hands).legal
    assert "claim" not in lay("pl-3", hands, trump=C, trump_mask=SUIT_MASK[C]).legal
    # the declarer does not know that the talon left hides the ace, and that nobody can play it
    game = table("pl-2", {1: "TS KS QS JS TC AC KC QC JC 9C"}, ["9S AD", "AS 9D"])
    take(game, "pass", "talon:0", "discard:9S", "discard:AD", "contract:100")
    assert "claim" not in game.legal
    seen = table("pl-2", {1: "TS KS QS JS TC AC KC QC JC 9C"}, ["9S AD", "AS 9D"])
    take(seen, "pass", "talon:1", "discard:9C", "discard:9D", "contract:100")
    assert "claim" in seen.legal


def test_r34_a_golden_contract_is_120_and_more_only_with_the_option():
    game = table("ru-2-gold", {1: "AS TS KS QS"})
    assert game.current.bid == 120
    raised = table("ru-2-gold", {1: "AS TS KS QS"}, golden_raise=True)
    for each in (game, raised):
        take(each, next(a for a in each.legal if a.startswith("give")))
    assert game.current.contract == 120
    assert asked(raised.legal, "contract")[:2] == ["120", "125"]


def test_r35_reaching_1000_ends_the_game():
    game = table("natjar-3")
    score_on(game, points=[120, 0, 0], contract=100, before=[899, 900, 0])
    assert game.result is None
    other = table("natjar-3")
    score_on(other, points=[0, 110, 0], declarer=0, contract=100, before=[0, 890, 0])
    assert other.result.totals[1] == 1000


def test_r36_the_cut_decides_penalties_only_and_rows_are_within_one_deal():
    nine, jack, ace = 0, 1, 5
    assert cut_costs([nine, 6, 12])
    assert cut_costs([nine, nine, jack, 0, 6, 12])
    assert not cut_costs([nine, nine, jack, nine, nine, ace])
    for number in range(300):
        shown = cut_cards(seed("cut"), number, 0)
        assert sum(card % 6 == 1 for card in shown) <= 2
        ends = [card % 6 for card in shown]
        assert ends[-1] > 1 or ends[-3:] == [0, 0, 0] or (ends[-1] == 1 and ends.count(1) == 2)


def test_r36_cards_differ_neither_by_the_cut_nor_by_what_it_costs():
    for number in range(300):
        secret = seed(f"r36 {number}")
        cut = Game(PRESETS["ru-3"], seed=secret)
        plain = Game(rules_of("ru-3", cut_ritual=False), seed=secret)
        assert cut.current.deck == plain.current.deck
        assert cut.current.dealt == plain.current.dealt
        assert (len(cut.current.cut) > 0, plain.current.cut) == (True, ())


def test_r36_a_redeal_is_cut_anew():
    cuts = set()
    for number in range(4):
        game = Game(rules_of("ru-3", redeal_below=100), seed=seed(f"again {number}"))
        start = len(cuts)
        for _ in range(3):
            cuts.add(game.current.cut)
            take(game, "look", "redeal")
        assert (game.standing.finished, game.standing.redeals) == (0, 3)
        assert len(cuts) >= start + 2


def test_r36_the_payer_is_the_dealer_s_right_hand_neighbour():
    for number in range(2000):
        game = Game(PRESETS["ru-3"], seed=seed(number))
        if game.current.cut_payer >= 0:
            assert game.current.cut_payer == 2
            assert game.totals == (0, 0, -120)
            return
    raise AssertionError("no cut costs")


def test_r37_where_redeal_is_automatic_nobody_is_asked():
    game = table("natjar-3", {2: "9S 9C 9D 9H KS JC JD"})
    assert game.deals[0]["actions"] == [[2, "redeal"]]
    assert game.deals[0]["void"] is True
    assert table("cz-3", {2: "9S 9C 9D 9H KS JC JD"}).legal == ("redeal", "keep")


def test_r38_whoever_holds_four_nines_after_the_exchange_may_void_the_deal():
    game = table("nl-3", {1: "9S 9C 9D AS AC AD AH"}, ["9H TS TC"])
    take(game, "bid:100", "pass", "pass", "give:TS", "give:TC")
    assert (game.seat, game.legal) == (1, ("redeal", "keep"))
    other = table("nl-3", {2: "9S 9C 9D AS AC AD AH"}, ["9H TS TC"])
    take(other, "bid:100", "pass", "pass", "give:9H", "give:TC")
    assert (other.seat, other.phase) == (2, "exchanged")
    take(other, "redeal")
    assert other.deals[0]["void"] is True


def test_r39_every_finished_deal_of_an_active_seat_on_the_barrel_is_an_attempt():
    game = table("ru-4")
    score_on(game, points=[0, 120, 0, 0], declarer=1, sitter=0, before=[880, 0, 880, 0])
    assert game.standing.attempts == [0, 0, 1, 0]


def test_r40_any_pair_lifts_the_limit_before_and_after_the_exchange():
    game = table("nl-3", {1: "KS QS AS"})
    assert asked(game.legal, "bid")[-1] == "400"
    poor = table("nl-3", {1: "AS AC AD AH TS TC TD"})
    assert asked(poor.legal, "bid")[-1] == "120"
    # after the exchange: a pair that the talon made lifts the limit, one that was given away does not
    game = take(
        table("nl-3", {1: "KS AS AC AD TC TD TS", 2: "9S 9C", 0: "9D"}, ["QS JH 9H"]),
        "bid:100",
        "pass",
        "pass",
    )
    take(game, "give:JH", "give:9H")
    assert asked(game.legal, "contract")[-1] == "400"
    game = take(
        table("nl-3", {1: "KS QS AC AD TC TD TS", 2: "9S 9C", 0: "9D"}, ["AS JH 9H"]),
        "bid:100",
        "pass",
        "pass",
    )
    take(game, "give:QS", "give:9H")
    assert asked(game.legal, "contract")[-1] == "120"


def test_r41_the_talon_at_100_is_hidden_with_a_sitter_too_though_his_points_are_seen():
    game = take(table("pl-4-sit", talons=["AS KH QH"]), "pass", "pass")
    assert game.view(2)["talon"] is None
    assert game.view(1)["talon"] == ["AS", "KH", "QH"]
    assert finish(game)["scores"][0] == 150


def test_r42_the_sitter_s_bonus_is_doubled_in_a_dark_deal():
    fields = {"declarer": 1, "sitter": 0, "bonus": 25, "dark": True}
    assert scored("ru-4", points=[0, 120, 0, 0], contract=120, **fields)[0] == [50, 240, 0, 0]


def test_r43_defenders_are_doubled_when_a_dark_or_golden_declarer_fails():
    assert scored("ru-3", points=[60, 40, 20], contract=120, dark=True)[0] == [-240, 80, 40]
    assert scored("ru-3-gold", points=[60, 40, 20], contract=120)[0] == [-240, 80, 40]


def test_r44_only_the_leader_of_a_trick_melds():
    game = take(table("pl-3", {1: "AS TS AC", 2: "KS QS JS"}, ["9S 9C 9D"]), "pass", "pass")
    take(game, "give:9C", "give:9D", "contract:100", "play:AS")
    assert not asked(game.legal, "meld")
    # and a defender does, once he leads
    game = lay("pl-3", {1: "9S JD QD", 2: "AS KH QH", 0: "TS KC QC"})
    deal = game.current
    take(game, "play:9S")
    assert (game.seat, asked(game.legal, "meld")) == (2, ["KH", "QH"])
    take(game, "meld:QH")
    assert (deal.melds, deal.trump) == ([(2, H, 100)], H)
    assert deal.points[2] >= 100


@pytest.mark.parametrize(("rules", "forehand"), [("pl-3", 1), ("pl-4-all", 1), ("pl-4-sit", 1), ("nl-4", 1)])
def test_r45_forehand_opens_and_the_dealer_is_the_one_who_sits_out(rules, forehand):
    game = table(rules)
    assert (game.actions or [(game.seat, "")])[0][0] == forehand
    assert game.view(0)["sitting_out"] == (0 if rules in ("pl-4-sit", "nl-4") else None)


def test_r46_a_bomb_is_said_before_the_first_card_is_given_or_instead_of_the_contract():
    game = take(table("pl-3"), "pass", "pass")
    assert game.legal[-1] == "concede"
    take(game, game.legal[0])
    assert "concede" not in game.legal
    bare = take(table("pl-2-twelve"), "pass")
    assert (bare.phase, bare.legal[-1]) == ("contract", "concede")


def test_r47_the_card_is_given_first_and_the_limit_follows_the_hand_after_the_exchange():
    game = take(table("ru-3", {1: "KS AS JC JD JH TC TD"}, ["QS 9S 9C"]), "look", "pass", "pass")
    assert game.phase == "exchange"
    give = [a for a in game.legal if a[5:] in ("9S", "9C")]
    take(game, *give)
    assert asked(game.legal, "contract")[-1] == "160"


@pytest.mark.parametrize(("suit", "value"), [("S", 40), ("C", 60), ("D", 80), ("H", 100)])
def test_r48_the_marriages_of_001_are_worth_what_they_are_in_000(suit, value):
    for rules in ("natjar-3", "pl-3"):
        other = "D" if suit in "SC" else "S"
        game = lay(rules, {1: f"K{suit} Q{suit}", 2: f"9{other} J{other}", 0: f"T{other} A{other}"})
        take(game, f"meld:Q{suit}")
        assert game.current.melds == [(1, "SCDH".index(suit), value)]
        assert game.current.points[1] == value


def test_r49_a_golden_round_is_over_when_one_contract_was_made():
    game = table("ru-2-gold", golden_raise=True)
    score_on(game, points=[0, 130], declarer=1, contract=125)
    assert game.standing.golden_made
    score_on(game, points=[0, 0], declarer=0, contract=120, before=list(game.totals))
    assert not game.standing.golden
    # 120 points do not make a contract of 125, nor does a concession make any
    short = table("ru-2-gold", golden_raise=True)
    score_on(short, points=[0, 120], declarer=1, contract=125)
    assert not short.standing.golden_made
    score_on(short, points=[120, 0], declarer=0, contract=125, before=list(short.totals))
    assert short.standing.golden
    given_up = table("ru-2-gold")
    score_on(given_up, points=[0, 0], declarer=1, contract=120, conceded=True)
    assert not given_up.standing.golden_made
    again = table("ru-2-gold")
    for declarer in (0, 1):
        score_on(again, points=[0, 0], declarer=declarer, contract=120)
    assert again.standing.golden


def test_r50_the_draw_form_has_neither_redeal_nor_990():
    rules = PRESETS["pl-2-draw"]
    assert (rules.redeal_four_nines, rules.redeal_below, rules.defender_limit) == ("no", 0, "none")
    assert scored("pl-2-draw", points=[60, 60], declarer=-1, contract=0, before=[950, 0])[1] == [1010, 60]


def test_r51_001_has_no_stock_and_all_cards_are_played():
    for name, leftovers, tricks in (("natjar-2", 4, 10), ("natjar-3", 0, 8), ("natjar-4", 0, 8)):
        game = table(name)
        assert game.current.stock == ()
        deal = game.current
        finish(start_of_play(game))
        assert (deal.play_start, len(deal.winners)) == (len(deal.actions) - 24 + leftovers, tricks)
        assert deal.played.bit_count() == 24 - leftovers
        assert deal.hands == [0] * game.ruleset.players
