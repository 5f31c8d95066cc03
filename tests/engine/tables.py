"""Tables for tests: decks with given hands, deals with given points, random play."""

import hashlib
import json
import random
from dataclasses import replace
from pathlib import Path

from engine import PRESETS, Barrel, Concession, Game, RuleSetError
from engine.cards import TEXT

CASES = Path(__file__).parent.parent / "cases"


def cases():
    lines = []
    for name in ("presets", "edge"):
        lines += (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def rules_of(rules, **changes):
    base = PRESETS[rules] if isinstance(rules, str) else rules
    return replace(base, **changes) if changes else base


def deck_for(rules, hands, talons=(), stock="", dealer=0):
    """A deck that deals these hands ({seat: "AS TS"}), talons and stock; the rest falls where there is room."""
    order = [(dealer + step) % rules.players for step in range(1, rules.players + 1)][: rules.active]
    parts = [(hands.get(seat, "").split(), rules.hand_size) for seat in order]
    wanted = list(talons) + [""] * (len(rules.talons) - len(talons))
    parts += [(text.split(), size) for text, size in zip(wanted, rules.talons, strict=True)]
    used = [card for part, _ in parts for card in part] + stock.split()
    assert len(used) == len(set(used)), "a card twice"
    rest = [card for card in TEXT if card not in used]
    deck = []
    for part, size in parts:
        assert len(part) <= size
        deck += part + [rest.pop() for _ in range(size - len(part))]
    return deck + stock.split() + rest


def table(rules="pl-3", hands=None, talons=(), stock="", **changes):
    """A game whose deals all have these hands (seat 1 is forehand of the first one)."""
    chosen = rules_of(rules, **changes)
    decks = [deck_for(chosen, hands or {}, talons, stock) for _ in range(40)]
    return Game(chosen, decks=decks)


def take(game, *actions):
    for action in actions:
        assert action in game.legal, (action, game.seat, game.phase, game.legal)
        game.apply(action)
    return game


def begin_play(game, **fields):
    """The play of the deal begins as the test has laid it out; ``fields`` set parts of the deal before."""
    for name, value in fields.items():
        setattr(game.current, name, value)
    game.legal, game.phase = game._tricks.enter(game.current), "play"
    game.seat = game.current.seat
    return game


def finish(game, choose=None):
    """Play the deal to its end: the first action that is neither redeal, concession nor claim."""
    number = game.deal
    while game.seat is not None and game.deal == number:
        legal = [a for a in game.legal if a not in ("redeal", "concede", "claim")]
        game.apply(choose(legal) if choose else legal[0])
    return game.deals[number]


def scored(rules, *, points, declarer=0, contract=100, before=None, **fields):
    """Scores and totals of a deal with these points; ``fields`` set parts of the deal."""
    game = Game(rules, seed=bytes(32)) if not isinstance(rules, str) else Game(PRESETS[rules], seed=bytes(32))
    return score_on(game, points=points, declarer=declarer, contract=contract, before=before, **fields)


def score_on(game, *, points, declarer=0, contract=100, before=None, **fields):
    deal = game.current
    if before is not None:
        game.standing.totals[:] = before
        deal.before = tuple(before)
    deal.cut_payer = -1
    deal.points[:] = points
    deal.declarer, deal.contract, deal.bid = declarer, contract, contract
    for name, value in fields.items():
        setattr(deal, name, value)
    scores = game.scoring.score(deal, game.standing)
    return scores, list(game.standing.totals)


def seed(word):
    return hashlib.sha256(str(word).encode()).digest()


def sensible(legal, rng):
    """A random legal action that lets matches end: low bids, few redeals and concessions."""
    common = [a for a in legal if a not in ("redeal", "concede")] or list(legal)
    pool = list(legal) if rng.random() < 0.1 else common
    if pool[-1].startswith(("bid:", "contract:")):
        pool = pool[:4]
    return pool[rng.randrange(len(pool))]


def play_match(rules, word, choose=sensible, watch=None):
    game = Game(rules, seed=seed(word))
    rng = random.Random(str(word))
    while game.seat is not None:
        if watch:
            watch(game)
        game.apply(choose(game.legal, rng))
    return game


def record_of(game):
    seats = [{"name": "r", "version": "1"} for _ in range(game.ruleset.players)]
    return game.record(match="m", seats=seats, stand_ins=[])


BARRELS = (
    None,
    Barrel(200, clamp=True, min_contract=120, needs_marriage=True, attempts=2, falls=2),
    Barrel(150),
    Barrel(250, min_contract=110),
    Barrel(200, clamp=True, attempts=1),
)
CONCESSIONS = (
    None,
    Concession("forced", limit=1),
    Concession(130, pays="half", costs_bid=True),
    Concession("any", barred_at=250),
    Concession("any", limit=2, pays="half"),
)
DRAWN = {
    "players": [2, 3, 4],
    "dealer_sits_out": [True, False],
    "min_bid": [60, 100, 120],
    "bid_step": [5, 10, 20],
    "ceiling": [160, 200, 300],
    "hand_size": [4, 5, 6, 7, 8, 10],
    "talons": [(), (2,), (3,), (4,), (2, 2)],
    "choose_talon": [True, False],
    "exchange": ["give_each", "give_one", "discard", "none"],
    "auction": [True, False],
    "sit_out_bonus": ["none", "aces", "points"],
    "concession": CONCESSIONS,
    "barrel": BARRELS,
    "deal_limit": [6, 12],
    "opening": ["forced", "free"],
    "jump_bids": [True, False],
    "bid_limit": ["hand", "marriage", "none"],
    "contract_limit": ["hand", "marriage", "none"],
    "show_marriage_from": [None, 100, 130],
    "dark_bid": [None, 120, 140],
    "golden_deals": [True, False],
    "golden_raise": [True, False],
    "cut_ritual": [True, False],
    "redeal_four_nines": ["no", "dealt", "exchanged", "both"],
    "redeal_below": [0, 14, 18, 30],
    "redeal_barred_by_marriage": [True, False],
    "redeal_automatic": [True, False],
    "redeal_talon_below": [0, 5, 15],
    "redeal_talon_nines": [0, 1, 2],
    "talon_reveal": ["always", "not_at_minimum", "never"],
    "talon_face_up": [True, False],
    "overtake": ["all", "second", "none"],
    "void": ["free", "beat", "trump"],
    "marriage_lead": ["queen", "either"],
    "marriage_first_trick": [True, False],
    "marriage_announcement": ["optional", "automatic"],
    "over_marriage": [True, False],
    "ace_marriage": [0, 200],
    "claim": [True, False],
    "rounding": [1, 5, 10],
    "round_half": ["down", "up"],
    "defender_limit": ["none", "cap", "skip"],
    "bolts": [0, 2, 3],
    "contract_step": [1, 5],
    "target": [300, 1000],
}
"""The values that mixes draw, by option."""
WITHOUT_AUCTION = {
    "auction": False,
    "hand_size": 6,
    "talons": (),
    "choose_talon": False,
    "exchange": "none",
    "concession": None,
    "barrel": None,
    "golden_deals": False,
    "dark_bid": None,
    "claim": False,
    "defender_limit": "none",
}
LAYOUTS = (
    {"hand_size": 8, "talons": (), "exchange": "none"},
    {"hand_size": 6, "talons": (3, 3), "choose_talon": True, "exchange": "discard"},
    {"hand_size": 5, "talons": (2,), "exchange": "give_each"},
    {"hand_size": 4, "talons": (2,), "exchange": "discard", "talon_face_up": True},
    {"hand_size": 11, "talons": (2,), "exchange": "give_one"},
    {"hand_size": 9, "talons": (), "exchange": "none", "claim": False},
    {"hand_size": 5, "talons": (4,), "choose_talon": False, "exchange": "discard"},
    WITHOUT_AUCTION,
)


def mixes(rng, **fixed):
    """A random rule set: a preset with some options drawn anew, until one can be played; ``fixed`` options hold.

    Without ``fixed`` one option is drawn first and then held, so that values which few mixes allow are met too.
    """
    if not fixed:
        name = rng.choice(sorted(DRAWN))
        fixed = {name: rng.choice(DRAWN[name])}
    while True:
        base = PRESETS[rng.choice(sorted(PRESETS))]
        names = rng.sample(sorted(DRAWN), rng.randrange(1, 9))
        changes = {name: rng.choice(DRAWN[name]) for name in names}
        layout = rng.choice(LAYOUTS) if rng.random() < 0.5 else {}
        try:
            return replace(base, **(changes | layout | fixed))
        except RuleSetError:
            continue
