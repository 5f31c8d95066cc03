"""Reasons why actions are not legal: true for every action that could be written, in every phase of every preset."""

import random
from dataclasses import replace

import pytest

from engine import PRESETS, Concession, Game
from engine.actions import DISCARD, GIVE, MELD, PLAY, TALON
from engine.why import why_not

from .plain_play import winning
from .tables import play_match

NUMBERS = [f"{verb}:{n}" for verb in ("bid", "contract") for n in (*range(90, 430, 5), 101, 1000)]
WELL_FORMED = [
    *("redeal", "keep", "dark", "look", "pass", "concede", "claim", "talon:2", *TALON),
    *(*GIVE, *DISCARD, *PLAY, *MELD, *NUMBERS),
]
SUITS = {"spades": "S", "clubs": "C", "diamonds": "D", "hearts": "H"}


def reasons(game):
    view, legal = game.view(game.seat), game.legal
    for action in WELL_FORMED:
        if action not in legal:
            yield action, view, legal, why_not(game.ruleset, view, legal, action)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_illegal_action_has_a_true_reason_and_a_card_it_names_is_held_and_legal(name):
    rng, seen = random.Random(name), set()

    def watch(game):
        if rng.random() > 0.05:
            return
        for action, view, legal, reason in reasons(game):
            seen.add(reason.rule)
            assert reason.text, action
            assert reason.rule != "form", action
            if reason.card:
                assert reason.card in view["hand"]
                assert any(text.endswith(":" + reason.card) for text in legal)
                assert reason.card in reason.text
            check_truth(game.ruleset, action, view, legal, reason)

    play_match(PRESETS[name], f"why {name}", watch=watch)
    assert {"phase", "not_held"} <= seen


def check_truth(rules, action, view, legal, reason):
    verb, _, rest = action.partition(":")
    hand, rule = view["hand"] or [], reason.rule
    if rule == "phase":
        assert verb not in {text.partition(":")[0] for text in legal}
    elif rule == "not_held":
        assert rest not in hand
    elif rule == "follow":
        led = view["trick"][0][1][1]
        assert rest[1] != led
        assert any(card[1] == led for card in hand)
        assert SUITS[reason.text.split()[0]] == led
    elif rule == "overtake":
        best = winning(view["trick"], view["trump"])[1]
        assert f"{best} wins the trick so far" in reason.text
        assert winning([*view["trick"], [view["you"], reason.card]], view["trump"])[1] == reason.card
        assert winning([*view["trick"], [view["you"], rest]], view["trump"])[1] == best
    elif rule == "trump":
        assert rules.void == "trump"
        assert reason.card[1] == view["trump"] != rest[1]
        assert not any(card[1] == view["trick"][0][1][1] for card in hand)
    elif rule == "bid_low":
        assert int(rest) < min(int(text[4:]) for text in legal if text.startswith("bid:"))
    elif rule in ("bid_step", "contract_step"):
        assert int(rest) % getattr(rules, rule)
    elif rule in ("bid_ceiling", "contract_ceiling"):
        assert int(rest) > rules.ceiling
    elif rule == "bid_limit":
        assert int(rest) > 120
        assert rules.bid_limit != "none"
    elif rule == "contract_limit":
        assert int(rest) > 120
    elif rule == "contract_low":
        assert int(rest) < view["bid"]
    elif rule == "automatic_meld":
        assert f"meld:{rest}" in legal
    elif rule == "meld":
        assert f"play:{rest}" in legal
        if reason.text.startswith("a marriage needs both"):
            assert reason.text.split()[-1] not in hand
    elif rule == "must_open":
        assert legal == ("pass",) or all(text.startswith("bid:") for text in legal)
    elif rule == "bid_jump":
        assert not rules.jump_bids
        assert int(rest) > max(int(text[4:]) for text in legal if text.startswith("bid:"))
    elif rule == "exchange":
        assert (verb == "give") is (rules.exchange == "discard")
    elif rule == "redeal":
        moved = view["given"] or view["discarded"]
        poor = rules.redeal_talon_below or rules.redeal_talon_nines
        assert view["phase"] == "exchange"
        assert moved or not poor or reason.text.startswith("only a talon")
    elif rule == "concede":
        assert view["phase"] in ("exchange", "contract")
        check_concession(rules, view, reason.text)
    elif rule == "talon":
        assert rest not in ("0", "1")
        assert all(text.startswith("talon:") for text in legal)
    elif rule == "claim":
        assert view["phase"] == "play"
        known = {"no claiming": not rules.claim, "only the declarer": view["you"] != view["declarer"]}
        known["by the leader"] = bool(view["trick"])
        said = [holds for words, holds in known.items() if words in reason.text]
        assert said == ([True] if any(known.values()) else [])
    else:
        raise AssertionError(f"nothing is known of the rule {rule}")
    if reason.option:
        top, _, inner = reason.option.partition(".")
        assert hasattr(getattr(rules, top), inner or "__class__")


def check_concession(rules, view, text):
    rule, you = rules.concession, view["you"]
    true = {
        "there is no conceding": rule is None,
        "before the first card leaves": bool(view["given"] or view["discarded"]),
        "before the exchange": view["phase"] == "contract" and rules.exchange != "none",
        "no more": view["concessions_left"][you] == 0,
        "nobody concedes": rule is not None
        and rule.barred_at is not None
        and view["totals"][you] >= rule.barred_at,
        "forced to make": rule is not None and rule.upto == "forced",
        "only bids of at most": rule is not None and isinstance(rule.upto, int) and view["bid"] > rule.upto,
    }
    assert [holds for words, holds in true.items() if words in text] == [True]


def test_the_reason_to_follow_suit_is_told_as_an_author_reads_it():
    rules = PRESETS["pl-3"]
    game = Game(rules, seed=bytes(32))
    view = {**game.view(game.seat), "phase": "play", "hand": ["JD", "AS"], "trick": [[0, "9D"]], "tricks": []}
    reason = why_not(rules, view, ("play:JD",), "play:AS")
    assert reason.text == "diamonds were led and you hold JD"


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("JD", "play:JD is"),
        ("PLAY:JD", "play:JD is"),
        (" play: jd", "play:JD is"),
        ("10D", "play:TD is"),
        ("play:XX", "rank then suit"),
        ("bid:ten", "a whole number"),
        ("bid:1e9", "a whole number"),
        ("bid:" + "9" * 5000, "a whole number"),
        ("", "one of the texts in legal, such as play:TD"),
        ("fold", "one of the texts in legal, such as play:TD"),
        ("pass:", "one of the texts in legal"),
        ("\0\ud800", "one of the texts in legal"),
        ("bid:100", "the phase is play: it asks for play, not for bid"),
    ],
)
def test_texts_that_are_no_action_are_told_what_was_probably_meant(action, words):
    game = Game(PRESETS["pl-3"], seed=bytes(32))
    view = {**game.view(game.seat), "phase": "play"}
    assert words in why_not(PRESETS["pl-3"], view, ("play:TD", "play:JD"), action).text


BOMB = Concession("any", limit=2, barred_at=800)
EXCHANGE = {"phase": "exchange", "given": [], "discarded": [], "concessions_left": [1, 0, 1]}


@pytest.mark.parametrize(
    ("rules", "changes", "view", "action", "words"),
    [
        ("ru-3", {"redeal_talon_below": 0}, EXCHANGE, "redeal", "only a talon with 2 nines can"),
        ("ru-3", {"redeal_talon_nines": 0}, EXCHANGE, "redeal", "only a talon of fewer than 5 points can"),
        ("ru-3", {}, EXCHANGE, "redeal", "of fewer than 5 points or with 2 nines"),
        ("pl-3", {"concession": BOMB}, {**EXCHANGE, "phase": "contract"}, "concede", "now you must play"),
        ("pl-3", {"concession": BOMB}, {**EXCHANGE, "totals": [0, 0, 800]}, "concede", "from a total of 800"),
        (
            "pl-3",
            {"concession": BOMB},
            {**EXCHANGE, "concessions_left": [1, 1, 0]},
            "concede",
            "conceded 2 times",
        ),
        ("pl-3", {"concession": Concession(110)}, {**EXCHANGE, "bid": 150}, "concede", "bids of at most 110"),
        ("nl-3", {}, {"phase": "auction"}, "pass", "you may not pass: bid:100"),
        ("ru-3", {}, {"phase": "play", "melds": [[0, "A", 200]], "trick": []}, "meld:AS", "melded before"),
    ],
)
def test_reasons_that_random_games_seldom_meet(rules, changes, view, action, words):
    chosen = replace(PRESETS[rules], **changes)
    game = Game(chosen, seed=bytes(32))
    hand = ["AS", "AC", "AD", "AH", "9S"]
    seen = {**game.view(2), "hand": hand, "tricks": [{}], **view}
    legal = {"pass": ("bid:100",), "meld:AS": ("play:AS", "play:9S")}.get(action, ("give:9S",))
    assert words in why_not(chosen, seen, legal, action).text


def test_a_legal_action_has_no_reason():
    game = Game(PRESETS["pl-3"], seed=bytes(32))
    with pytest.raises(ValueError, match="is legal"):
        why_not(PRESETS["pl-3"], game.view(game.seat), game.legal, game.legal[0])
