"""Views, public views and events: who sees what, when."""

import pytest

from engine import PRESETS
from engine.view import PRIVATE

from .tables import play_match, table, take

KEYS = [
    "rules",
    "seats",
    "you",
    "deal",
    "dealer",
    "sitting_out",
    "phase",
    "totals",
    "barrel",
    "bolts",
    "concessions_left",
    "multiplier",
    "hand",
    "dealt",
    "auction",
    "shown_marriages",
    "declarer",
    "bid",
    "contract",
    "talon",
    "received",
    "given",
    "discarded",
    "trump",
    "leader",
    "trick",
    "tricks",
    "melds",
    "points",
    "stock",
]


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_view_has_the_documented_keys_and_a_public_one_no_private_key(name):
    def watch(game):
        assert list(game.view(game.seat)) == KEYS
        public = game.public()
        assert list(public) == [key for key in KEYS if key not in PRIVATE]

    play_match(PRESETS[name], f"keys {name}", watch=watch)


def test_a_given_card_is_seen_by_giver_and_receiver_alone():
    game = take(table("pl-3", {1: "AS"}), "pass", "pass")
    take(game, "give:AS")
    assert game.view(2)["received"] == ["AS"]
    assert game.view(1)["given"] == [[2, "AS"]]
    assert game.view(0)["received"] == game.view(0)["given"] == []
    told = [
        [e["action"] for e in game.events(s, 0)[0] if e["event"] == "action"][-1] for s in (0, 1, 2, None)
    ]
    assert told == ["give", "give:AS", "give:AS", "give"]


def test_a_discard_is_seen_by_the_declarer_alone():
    game = take(table("pl-2", {1: "AS"}), "pass", "talon:1", "discard:AS")
    told = [[e["action"] for e in game.events(s, 0)[0] if e["event"] == "action"][-1] for s in (0, 1)]
    assert told == ["discard", "discard:AS"]
    assert game.view(0)["discarded"] == []


def test_a_hidden_talon_is_told_without_cards_and_a_shown_one_with_them():
    hidden = take(table("pl-3", talons=["AS TS KS"]), "pass", "pass")
    shown = take(table("cz-3", talons=["AS TS KS"]), "pass", "pass")
    for game, seen in ((hidden, None), (shown, ["AS", "TS", "KS"])):
        assert [e["cards"] for e in game.events(2, 0)[0] if e["event"] == "talon"] == [seen]
        assert game.public()["talon"] == seen
        assert game.view(1)["talon"] == ["AS", "TS", "KS"]


def test_a_kept_hand_is_nobody_else_s_business():
    game = table("pl-3", {2: "9S 9C 9D 9H AS JC JD"})
    assert game.view(2)["phase"] == "redeal"
    assert game.view(0)["phase"] == game.public()["phase"] == "auction"
    take(game, "keep")
    assert next(e["action"] for e in game.events(2, 0)[0] if e["event"] == "action") == "keep"
    assert "keep" not in str(game.events(0, 0)[0])
    after = table("nl-3", {1: "9S 9C 9D AS AC AD AH"}, ["9H TS TC"])
    take(after, "bid:100", "pass", "pass", "give:TS", "give:TC")
    assert (after.view(1)["phase"], after.view(2)["phase"]) == ("redeal", "contract")


def test_forehand_sees_no_card_before_he_looks_or_is_outbid_or_wins():
    game = table("ru-3", {1: "AS", 2: "KH QH AH"})
    assert game.view(1)["hand"] is game.view(1)["dealt"] is None
    assert "AS" in game.view(1)["hand"] if game.view(1)["hand"] else True
    assert game.view(2)["hand"]
    take(game, "dark")
    assert game.view(1)["hand"] is None
    assert game.view(1)["multiplier"] == 2
    assert not [e for e in game.events(1, 0)[0] if e["event"] == "hand"]
    take(game, "pass", *(["pass"] if game.legal[0] == "pass" and game.seat == 0 else []))
    while game.phase == "auction":
        take(game, "pass")
    assert "AS" in game.view(1)["hand"]
    assert len([e for e in game.events(1, 0)[0] if e["event"] == "hand"]) == 1
    assert not [e for e in game.events(2, 0)[0] if e["event"] == "hand"]


def test_talons_face_up_are_seen_by_all_from_the_start():
    one = table("pl-2-open", talons=["AS TS"])
    two = table("pl-2", talons=["AS TS", "AC TC"], talon_face_up=True)
    assert one.public()["talon"] == ["AS", "TS"]
    assert two.public()["talon"] == [["AS", "TS"], ["AC", "TC"]]
    assert one.events(0, 0)[0][0]["talons"] == [["AS", "TS"]]


def test_a_drawn_card_is_its_seat_s_own():
    game = table("pl-2-draw", {1: "AS"})
    take(game, "play:AS")
    while not game.current.drawn:
        game.apply(game.legal[0])
    for seat in (0, 1):
        draws = [e for e in game.events(seat, 0)[0] if e["event"] == "draw"]
        assert [("seat" in e) for e in draws].count(True) == 1
    assert game.view(0)["stock"] == 10


def test_bombs_left_are_counted():
    game = take(table("pl-3"), "pass", "pass", "concede")
    assert game.view(0)["concessions_left"] == [1, 0, 1]
    assert table("ru-3").view(0)["concessions_left"] == [None] * 3
    assert table("cz-3").view(0)["concessions_left"] == [0] * 3
    assert game.deals[-1]["scores"] == [60, 0, 60]
    assert game.deals[-1]["contract"] is None


def test_a_dark_bid_that_is_high_enough_shows_a_marriage_like_any_other():
    for hand, shown in (
        ("KS QS KC QC", [[1, "S"]]),
        ("AS AC AD AH 9S 9C 9D", [[1, "A"]]),
        ("JS JC 9D 9H KS KC QD", []),
    ):
        game = take(table("ru-3", {1: hand}, show_marriage_from=120), "dark")
        assert game.view(0)["shown_marriages"] == shown


def test_deals_without_any_choice_are_played_by_the_engine_alone():
    game = table("pl-2-draw", hand_size=1, deal_limit=3)
    assert game.result.reason == "deal_limit"
    assert len(game.deals) == 3
    assert all(len(deal["actions"]) == 24 for deal in game.deals)
    assert game.result.ranks[0] in (1, 2)
