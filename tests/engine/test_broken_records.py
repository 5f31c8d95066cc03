"""Broken records and texts: a clear error that names the place, never a traceback, never a hang."""

import contextlib
import copy
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import PRESETS, EngineError, Game, IllegalAction, NotationError, RecordError, RuleSet, notation
from engine.record import verify

from .tables import cases, deck_for, play_match, record_of, rules_of, seed

GOOD = record_of(play_match(rules_of("ru-3", deal_limit=4), "broken"))
TEXT = notation.write(GOOD)
BARE = next(record for record in cases() if record["match"] == "pl-3")
JUNK: list[object] = [
    None,
    True,
    False,
    0,
    -1,
    7,
    10**30,
    1.5,
    "",
    "x",
    "play:9S",
    [],
    {},
    [[]],
    [0, "pass"],
    {"seat": 0},
]


def paths(value, prefix=()):
    """Every place in a JSON value."""
    yield prefix
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], (*prefix, key))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield from paths(value[index], (*prefix, index))


PLACES = list(paths(GOOD))


def put(record, path, value):
    if not path:
        return value
    record = copy.deepcopy(record)
    holder = record
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return record


def cut(record, path):
    record = copy.deepcopy(record)
    holder = record
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    return record


FREE = {"match", "seats", "stand_ins"}


@settings(max_examples=150, deadline=None)
@given(st.integers(min_value=0, max_value=2**40))
def test_a_record_with_one_wrong_place_is_refused_or_says_the_same(number):
    rng = random.Random(number)
    path = rng.choice(PLACES)
    broken = cut(GOOD, path) if path and rng.random() < 0.3 else put(GOOD, path, rng.choice(JUNK))
    try:
        verify(broken)
    except RecordError:
        return
    if path[0] == "rules":  # other rules, under which this match would have gone the same way
        assert RuleSet.from_json(broken["rules"]).to_json() == broken["rules"]
    else:
        assert path[0] in FREE or json.dumps(broken) == json.dumps(GOOD) or "seed" in path[0]


@settings(max_examples=150, deadline=None)
@given(st.integers(min_value=0, max_value=2**40))
def test_a_text_with_some_wrong_characters_is_refused_or_reads_as_a_record(number):
    rng = random.Random(number)
    text = TEXT
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text))
        end = min(len(text), at + rng.choice([0, 1, 2, 30]))
        text = (
            text[:at]
            + rng.choice(["", " ", "\n", "9", "S", "-", "!", "]", "{", "b100 ", "\x00", "é"])
            + text[end:]
        )
    with contextlib.suppress(NotationError):
        verify(notation.read(text))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_refused_with_a_notation_error(text):
    for whole in (text, notation.HEAD + "\n" + text, TEXT + text.strip() + " x"):
        with pytest.raises(NotationError):
            notation.read(whole)


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
        lambda c: st.lists(c, max_size=3) | st.dictionaries(st.text(max_size=9), c, max_size=3),
        max_leaves=9,
    )
)
def test_any_json_is_refused_with_a_record_error(value):
    with pytest.raises(RecordError):
        verify(value)


def test_the_first_disagreement_is_named_with_deal_action_expected_and_found():
    record = copy.deepcopy(GOOD)
    number = next(i for i, deal in enumerate(record["deals"]) if len(deal["actions"]) > 10)
    record["deals"][number]["actions"][7][1] = "play:XX"
    with pytest.raises(RecordError) as error:
        verify(record)
    assert (error.value.deal, error.value.action, error.value.found) == (number, 7, "play:XX")
    assert error.value.expected


@pytest.mark.parametrize("key", ["void", "declarer", "contract", "points", "scores", "totals"])
def test_another_summary_of_a_deal_is_refused(key):
    with pytest.raises(RecordError, match=key):
        verify(put(GOOD, ("deals", 0, key), [1]))


def test_ends_that_do_not_fit_are_refused():
    for deals in (GOOD["deals"][:-1], GOOD["deals"] + GOOD["deals"][-1:], []):
        with pytest.raises(RecordError):
            verify({**GOOD, "deals": deals})
    with pytest.raises(RecordError):
        verify({**GOOD, "result": None})
    with pytest.raises(RecordError):
        verify({**GOOD, "deals": GOOD["deals"][:-1], "result": None, "seed": None, "extra": 1})
    verify({**GOOD, "deals": GOOD["deals"][:-1], "result": None, "seed": None})
    with pytest.raises(RecordError):
        verify({**GOOD, "deals": [], "seed": None})


@pytest.mark.parametrize(
    "change",
    [lambda a: a[:-1], lambda a: [*a, [0, "pass"]], lambda a: a[:3], lambda a: [[9, a[0][1]], *a[1:]]],
)
def test_actions_missing_or_too_many_are_refused(change):
    record = copy.deepcopy(BARE)
    deal = record["deals"][0]
    deal["actions"] = change(deal["actions"])
    del deal["legal"]
    with pytest.raises(RecordError):
        verify(record)


def test_wrong_legal_lists_are_refused():
    for value in ([], "x", [["pass"]]):
        with pytest.raises(RecordError, match="legal"):
            verify(put(BARE, ("deals", 0, "legal"), value))


def test_stand_ins_move_places_to_the_end_and_an_earlier_one_is_lower():
    game = play_match("pl-3" and PRESETS["pl-3"], "places")
    stand_ins = [{"seat": 0, "deal": 1, "action": 2}, {"seat": 2, "deal": 3, "action": 4}]
    seats = [{"name": "r", "version": "1"}] * 3
    record = game.record(match="m", seats=seats, stand_ins=stand_ins)
    assert record["result"]["places"] == [3, 1, 2]
    verify(record)
    assert notation.read(notation.write(record)) == record


def test_a_record_in_progress_is_written_read_and_verified():
    rules = PRESETS["pl-3"]
    game = Game(rules, decks=[deck_for(rules, {})])
    while game.seat is not None:
        game.apply(next(a for a in game.legal if a not in ("redeal", "concede")))
    assert game.result is None
    assert game.phase == "over"
    record = record_of(game)
    assert record["seed"] is None
    assert record["result"] is None
    verify(record)
    assert notation.read(notation.write(record)) == record


@pytest.mark.parametrize(
    "change",
    [
        ("thousand 1", "thousand 2"),
        ("match ", "watch "),
        ('match "m"', "match 3"),
        ('match "m"', "match {"),
        ("rules custom ru-3 deal_limit=4", "rules"),
        ("rules custom ru-3 deal_limit=4", "rules xx-3"),
        ("rules custom ru-3 deal_limit=4", "rules ru-3 deal_limit=4"),
        ("deal_limit=4", "deal_limit=x"),
        ("deal_limit=4", "nonsense=4"),
        ("seed ", "seed x"),
        ("stand-ins []", "stand-ins [3]"),
        ("stand-ins []", 'stand-ins [{"seat":"x"}]'),
        ("seats [", "seats [3,"),
        ("deal 0 dealer 0", "deal 0 dealer 1"),
        ("result ", "result x"),
        ("result ", "b100\nresult "),
    ],
)
def test_a_text_that_disagrees_is_refused_with_its_line(change):
    assert change[0] in TEXT
    with pytest.raises(NotationError) as error:
        notation.read(TEXT.replace(*change, 1))
    assert error.value.line > 0


def test_texts_cut_short_or_without_end_are_refused():
    lines = TEXT.splitlines()
    for count in range(len(lines) - 1):
        if (
            lines[count].strip()
            and not lines[count].startswith("deal ")
            and not lines[count].startswith("result")
        ):
            with pytest.raises(NotationError):
                notation.read("\n".join(lines[:count]))
    with pytest.raises(NotationError):
        notation.read("x" * 4_000_001)
    with pytest.raises(NotationError):
        notation.read(TEXT + "one line more")


def test_moves_that_are_missing_or_too_many_are_refused():
    text = notation.write({**GOOD, "seed": None, "seed_sha256": None})
    start = text.index("b1")
    line = text[start : text.index("\n", start)]
    for moves in (
        line[: len(line) // 2],
        line + " 9S",
        line.replace("b1", "q1", 1),
        line.replace("b1", "b9", 1),
        "",
    ):
        with pytest.raises(NotationError):
            notation.read(text.replace(line, moves or "-", 1))
    deck = text.index("\ndeal 0 dealer 0\n") + len("\ndeal 0 dealer 0\n")
    with pytest.raises(NotationError):
        notation.read(text[:deck] + "9S9S" + text[deck + 4 :])
    head = text[: text.index("\ndeal 0")]
    with pytest.raises(NotationError):
        notation.read(head)


def test_a_game_is_made_of_a_seed_or_of_decks_and_takes_legal_actions_only():
    rules = PRESETS["pl-3"]
    for arguments in (
        {},
        {"seed": b"short"},
        {"decks": []},
        {"seed": seed(1), "decks": []},
        {"decks": [["9S"]]},
        {"decks": ["x"]},
        {"decks": [["x"] * 24]},
        {"decks": [3]},
    ):
        with pytest.raises(EngineError):
            Game(rules, **arguments)
    game = Game(rules, seed=seed(1))
    for action in ("", None, 3, "play:9S"):
        with pytest.raises(IllegalAction):
            game.apply(action)
    for seat in (-1, 3):
        with pytest.raises(EngineError):
            game.view(seat)
    assert game.deals == []


def test_a_result_or_a_forced_move_that_is_not_written_is_missed():
    with pytest.raises(NotationError, match="result"):
        notation.read(TEXT[: TEXT.index("\nresult")])
    lines = TEXT.splitlines()
    moves = next(i for i, line in enumerate(lines) if line.count("/") > 6)
    lines[moves] = " ".join(lines[moves].split()[:-1])
    with pytest.raises(NotationError, match="missing"):
        notation.read("\n".join(lines))


def test_shapes_that_no_record_has_are_refused():
    for broken in (
        {**GOOD, "extra": 1},
        {**GOOD, "format": "x"},
        {**GOOD, "seats": 3},
        {**GOOD, "seed": "zz" * 32},
        {**GOOD, "seed_sha256": "0"},
        {**GOOD, "seed": None, "deals": [{**GOOD["deals"][0], "deck": ["9S"]}]},
        {**GOOD, "deals": [3]},
        {**GOOD, "deals": [{"dealer": 0}]},
        {**GOOD, "deals": [{**GOOD["deals"][0], "more": 1}]},
        {**GOOD, "deals": [{**GOOD["deals"][0], "actions": 3}]},
        {**GOOD, "rules": {}},
        {**GOOD, "seats": [3, 3, 3]},
        {**GOOD, "stand_ins": [{"seat": 9}]},
    ):
        with pytest.raises(RecordError):
            verify(broken)


def test_a_record_that_leaves_out_forced_deals_ends_too_early():
    record = record_of(Game(rules_of("pl-2-draw", hand_size=1, deal_limit=3), seed=seed(1)))
    verify(record)
    with pytest.raises(RecordError, match="too early"):
        verify({**record, "deals": record["deals"][:-1]})


def test_a_deal_after_the_end_of_the_match_is_refused():
    deals, result = TEXT.rsplit("\nresult", 1)
    last = deals[deals.rindex("deal ") :]
    with pytest.raises(NotationError, match="after the end of the match"):
        notation.read(deals + "\n" + last.replace("deal 3", "deal 4", 1) + "\nresult" + result)


def test_a_text_that_disagrees_names_deal_action_expected_and_found():
    lines = TEXT.splitlines()
    moves = next(number for number, line in enumerate(lines) if line.startswith("deal ")) + 2
    broken = "\n".join([*lines[:moves], lines[moves].replace(" / ", " / 9S 9S ", 1), *lines[moves + 1 :]])
    with pytest.raises(NotationError) as error:
        notation.read(broken)
    assert (error.value.line, error.value.deal) == (moves + 1, 0)
    assert error.value.action is not None
    assert error.value.found not in error.value.expected
    totals = lines[moves + 1]
    broken = "\n".join([*lines[: moves + 1], totals + "9", *lines[moves + 2 :]])
    with pytest.raises(NotationError) as error:
        notation.read(broken)
    assert error.value.found == error.value.expected + "9"


@pytest.mark.parametrize("word", ["b١٠٠", "b00100", "c0120"])
def test_numbers_of_a_text_are_written_in_one_way(word):
    moves = next(line for line in TEXT.splitlines() if " b100 " in f" {line} " and "/" in line)
    with pytest.raises(NotationError, match="is no action"):
        notation.read(TEXT.replace(moves, moves.replace("b100", word, 1), 1))


def test_a_rule_given_twice_is_refused():
    line = TEXT.splitlines()[2]
    with pytest.raises(NotationError, match="deal_limit stands there twice"):
        notation.read(TEXT.replace(line, line + " deal_limit=4", 1))


@pytest.mark.parametrize("depth", range(900, 1000, 7))
def test_a_very_deep_value_is_refused_like_any_other(depth):
    deep = "[" * depth + "]" * depth
    line = TEXT.splitlines()[2]
    with pytest.raises(NotationError):
        notation.read(TEXT.replace(line, f"{line} talons={deep}", 1))
    nested: list[object] = []
    for _ in range(depth):
        nested = [nested]
    with pytest.raises(EngineError):
        RuleSet.from_json({**GOOD["rules"], "talons": nested})


@pytest.mark.parametrize("changes", [{"name": []}, {"base": []}, {"name": 5}])
def test_a_rule_set_with_an_odd_name_is_refused(changes):
    with pytest.raises(EngineError, match=r"neither a preset nor custom|is no preset"):
        RuleSet(**changes)


@pytest.mark.parametrize("seat", ["x", -1, 3, 1.5])
def test_a_seat_that_is_not_there_has_no_view_and_no_events(seat):
    game = Game(PRESETS["pl-3"], seed=seed("seats"))
    with pytest.raises(EngineError, match="there is no seat"):
        game.view(seat)
    with pytest.raises(EngineError, match="there is no seat"):
        game.events(seat, 0)


def first_action(record, **changes):
    """The stand-in list of a record with one entry, changed."""
    return {**record, "stand_ins": [{"seat": 0, "deal": 0, "action": 0, **changes}]}


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (first_action(GOOD, seat=True), "in numbers"),
        (first_action(GOOD, action="1"), "in numbers"),
        (first_action(GOOD, seat=3), "each seat once"),
        (first_action(GOOD, deal=999), "out of place"),
        (first_action(GOOD, action=10_000), "out of place"),
        ({**GOOD, "stand_ins": first_action(GOOD)["stand_ins"] * 2}, "each seat once"),
        ({**GOOD, "seats": GOOD["seats"][:2]}, "seats do not fit the rules"),
        ({**GOOD, "seats": [{"name": "a"}] * 3}, "a seat has a name and a version"),
        ({**GOOD, "seed": None, "seed_sha256": "zz"}, "the hash of a seed is 64 hex digits"),
        ({**GOOD, "seed": GOOD["seed"].upper()}, "a seed is 64 hex digits"),
    ],
)
def test_seats_stand_ins_and_hashes_of_another_shape_are_refused(record, words):
    with pytest.raises(RecordError, match=words):
        verify(record)


def test_a_wrong_or_missing_list_of_legal_actions_is_refused():
    record = copy.deepcopy(next(record for record in cases() if record["match"] == "pl-3"))
    lists = record["deals"][0]["legal"]
    lists[1] = [*lists[1], "claim"]
    with pytest.raises(RecordError, match="another list of legal actions"):
        verify(record)
    record["deals"][0]["legal"] = lists[:-1]
    with pytest.raises(RecordError, match="an entry for each action"):
        verify(record)
