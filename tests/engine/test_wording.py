"""Rules in words: every option and value has its sentence, for presets and for any mix."""

import itertools
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import OPTIONS, PRESETS, Barrel, Concession, RuleSet, RuleSetError
from engine.options import BARREL_OPTIONS, CONCESSION_OPTIONS
from engine.wording import PARTS, differences, fields, messages, parts


def describe(rules):
    """The sentences of all parts."""
    return [sentence for _, under in parts(rules) for sentence in under]


EVERY = (*OPTIONS, *CONCESSION_OPTIONS, *BARREL_OPTIONS)


@pytest.mark.parametrize("option", EVERY, ids=lambda option: option.name)
def test_an_option_has_a_title_and_words_for_each_kind_of_value(option):
    assert option.title
    assert option.title[0].isupper()
    assert not option.title.endswith(".")
    needed = {
        "flag": {"true", "false"},
        "word": set(option.words),
        "number": {"n", *option.words, *(["null"] if option.off else [])},
        "sizes": {"0", "1", "2"},
        "record": {"null", "record"},
    }[option.kind]
    assert needed <= set(option.says)
    for text in option.says.values():
        assert text == "" or text.endswith(".")
    for word in option.words:
        assert option.says[word]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_in_words_is_whole_and_in_the_order_of_the_options(name):
    told = describe(PRESETS[name])
    order = [option.name for option in OPTIONS]
    places = [order.index(sentence.option.name.partition(".")[0]) for sentence in told]
    assert places == sorted(places)
    assert not any("%" in str(sentence) for sentence in told)


def test_presets_that_differ_in_rules_differ_in_words():
    told = {tuple(str(sentence) for sentence in describe(rules)) for rules in PRESETS.values()}
    assert len(told) == len(PRESETS)


def test_words_carry_the_values_of_the_rules():
    told = " ".join(
        str(sentence) for sentence in describe(replace(PRESETS["pl-2-open"], target=750, min_bid=110))
    )
    for words in ("reaches 750", "least bid is 110", "Cards in it: 8", "its cards: 2", "lies face up"):
        assert words in told


def test_fields_stand_in_place_of_a_concession_or_a_barrel_that_a_rule_set_has():
    with_barrel = replace(PRESETS["pl-3"], barrel=Barrel(), concession=None)
    names = [option.name for option in fields(with_barrel)]
    assert len(names) == len(set(names))
    assert "concession" in names
    assert "barrel" not in names
    assert {option.name for option in BARREL_OPTIONS} <= set(names)
    assert not {option.name for option in CONCESSION_OPTIONS} & set(names)


def test_what_does_not_matter_is_not_said():
    told = {sentence.option.name for sentence in describe(PRESETS["pl-2-draw"])}
    assert not told & {"bid_step", "exchange", "choose_talon", "talon_face_up", "golden_raise", "barrel"}


def test_two_rule_sets_differ_in_exactly_the_options_whose_values_differ():
    found = {difference.option.name for difference in differences(PRESETS["cz-3"], PRESETS["cz-3-short"])}
    assert found == {"target", "barrel.threshold"}
    assert differences(PRESETS["ru-3"], PRESETS["ru-3"]) == []


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(PRESETS, 2)))
def test_differences_agree_with_the_records(one, other):
    first, second = PRESETS[one].to_json(), PRESETS[other].to_json()
    expected = {option.name for option in OPTIONS if first[option.name] != second[option.name]}
    found = differences(PRESETS[one], PRESETS[other])
    assert {difference.option.name.partition(".")[0] for difference in found} == expected
    assert all(difference.values[0] != difference.values[1] for difference in found)
    for difference in found:
        assert [value for value, _ in difference.sides] == list(difference.values)


MIXES = {
    "flag": lambda _: st.booleans(),
    "word": lambda option: st.sampled_from(option.words),
    "number": lambda option: st.sampled_from([*option.usual, *option.words] or [option.low]),
}


def record_of(kind, options):
    fields = {option.name.partition(".")[2]: MIXES[option.kind](option) for option in options}
    return st.none() | st.builds(kind, **fields)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(PRESETS)),
    st.fixed_dictionaries(
        {},
        optional={
            **{option.name: MIXES[option.kind](option) for option in OPTIONS if option.kind in MIXES},
            "concession": record_of(Concession, CONCESSION_OPTIONS),
            "barrel": record_of(Barrel, BARREL_OPTIONS),
        },
    ),
)
def test_any_mix_of_options_that_can_be_played_is_told_in_words(preset, changes):
    rules = PRESETS[preset]
    for name, value in changes.items():
        try:
            rules = replace(rules, **{name: value})
        except RuleSetError:
            continue
    assert isinstance(rules, RuleSet)
    told = describe(rules)
    assert told
    assert all(str(sentence).endswith(".") for sentence in told)
    assert {sentence.text for sentence in told} <= set(messages())
    changed = {difference.option.name.partition(".")[0] for difference in differences(PRESETS[preset], rules)}
    assert changed == set(rules.changed)


def test_every_heading_begins_at_an_option_and_the_first_option_has_one():
    names = [option.name for option in OPTIONS]
    assert names[0] in PARTS
    assert [name for name in names if name in PARTS] == list(PARTS)


def test_parameters_of_messages_are_numbers():
    for text in messages():
        assert re.sub(r"%\((n|first|second)\)d", "", text).count("%") == 0
