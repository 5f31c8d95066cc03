"""Rule sets: what is refused, and by which name; names, bases and hashes."""

import hashlib
import json
from dataclasses import fields, replace

import pytest

from engine import OPTIONS, PRESETS, Barrel, Concession, RuleSet, RuleSetError, ruleset
from engine.options import BARREL_OPTIONS, CONCESSION_OPTIONS

from .tables import rules_of

REFUSED = [
    ("hand_size", "pl-3", {"hand_size": 8}),
    ("hand_size", "pl-3", {"hand_size": 13}),
    ("hand_size", "pl-3", {"players": 3, "hand_size": 6, "talons": (2,)}),
    ("exchange", "pl-2", {"exchange": "give_each", "talons": (3, 3), "hand_size": 9}),
    ("exchange", "pl-2", {"exchange": "none"}),
    ("exchange", "pl-2-twelve", {"exchange": "discard"}),
    ("exchange", "pl-3", {"exchange": "give_one"}),
    ("dealer_sits_out", "pl-3", {"dealer_sits_out": True}),
    ("choose_talon", "pl-3", {"choose_talon": True}),
    ("talons", "pl-2", {"talons": (1, 3)}),
    ("talons", "pl-2", {"talons": (1, 1, 2)}),
    ("talons", "pl-3", {"talons": (True,)}),
    ("talons", "pl-3", {"talons": 3}),
    ("min_bid", "pl-3", {"min_bid": 105}),
    ("min_bid", "pl-3", {"min_bid": 370}),
    ("dark_bid", "ru-3", {"dark_bid": 122}),
    ("dark_bid", "ru-3", {"dark_bid": 95}),
    ("dark_bid", "ru-3", {"dark_bid": 425}),
    ("ceiling", "pl-3", {"ceiling": 365}),
    ("ceiling", "pl-3", {"ceiling": 110}),
    ("bid_step", "pl-3", {"contract_step": 3}),
    ("rounding", "pl-3", {"rounding": 0}),
    ("redeal_four_nines", "pl-4-all", {"redeal_four_nines": "both"}),
    ("barrel.attempts", "cz-3", {"barrel": Barrel(800, attempts=3)}),
    ("barrel.threshold", "cz-3", {"barrel": Barrel(1000)}),
    ("barrel.clamp", "cz-3", {"barrel": Barrel(800, clamp=1)}),  # type: ignore[arg-type]
    ("barrel", "cz-3", {"barrel": {}}),
    ("concession", "cz-3", {"concession": "any"}),
    ("concession.upto", "cz-3", {"concession": Concession(upto="never")}),
    ("concession.pays", "cz-3", {"concession": Concession(pays=None)}),  # type: ignore[arg-type]
    ("talons", "pl-2", {"auction": False}),
    ("barrel", "pl-2-draw", {"barrel": Barrel(800)}),
    ("concession", "pl-2-draw", {"concession": Concession()}),
    ("golden_deals", "pl-2-draw", {"golden_deals": True}),
    ("dark_bid", "pl-2-draw", {"dark_bid": 120}),
    ("exchange", "pl-2-draw", {"exchange": "discard"}),
    ("claim", "pl-2-draw", {"claim": True}),
    ("defender_limit", "pl-2-draw", {"defender_limit": "cap"}),
    ("sit_out_bonus", "pl-3", {"sit_out_bonus": "aces"}),
    ("claim", "pl-3", {"over_marriage": True}),
    ("claim", "pl-3", {"ace_marriage": 200}),
    ("void", "pl-3", {"void": "sometimes"}),
    ("claim", "pl-3", {"claim": 1}),
    ("target", "pl-3", {"target": True}),
    ("target", "pl-3", {"target": 10**9}),
    ("overtake", "pl-3", {"overtake": None}),
    ("name", "pl-3", {"name": "pl-9"}),
    ("base", "pl-3", {"name": "custom", "base": "pl-9"}),
]


@pytest.mark.parametrize(("option", "preset", "changes"), REFUSED)
def test_rules_that_cannot_be_played_are_refused_naming_the_option(option, preset, changes):
    with pytest.raises(RuleSetError) as error:
        replace(PRESETS[preset], **changes)
    assert error.value.option == option
    assert str(error.value).startswith(option)


def test_there_are_21_presets_and_each_survives_its_record_form():
    assert len(PRESETS) == 21
    for name, rules in PRESETS.items():
        assert (rules.name, rules.base, rules.changed) == (name, None, {})
        assert RuleSet.from_json(rules.to_json()) == rules


def test_a_changed_preset_is_custom_and_names_its_base():
    changed = rules_of("pl-3", rounding=5, talons=[3])
    assert (changed.name, changed.base, changed.changed) == ("custom", "pl-3", {"rounding": 5})
    assert list(changed.to_json())[:2] == ["name", "base"]
    assert RuleSet.from_json(changed.to_json()) == changed


def test_the_hash_is_that_of_the_options_alone():
    assert len({rules.hash for rules in PRESETS.values()}) == 21
    named = RuleSet.from_json({**PRESETS["pl-3"].to_json(), "name": "custom", "base": "cz-3"})
    assert named.hash == PRESETS["pl-3"].hash
    assert rules_of("pl-3", rounding=5).hash != PRESETS["pl-3"].hash


@pytest.mark.parametrize(
    ("option", "change"),
    [
        ("nonsense", {"nonsense": 1}),
        ("rounding", {"rounding": 5}),
        ("name", {"name": 3}),
        ("base", {"base": "pl-3"}),
        ("base", {"name": "custom"}),
        ("base", {"name": "custom", "base": []}),
        ("concession", {"concession": {"upto": "any"}}),
        ("concession", {"concession": []}),
        ("barrel", {"barrel": {"threshold": 800, "nonsense": 1}}),
        ("talons", {"talons": "3"}),
        ("target", {"target": "1000"}),
    ],
)
def test_a_record_form_that_is_wrong_is_refused_naming_the_option(option, change):
    with pytest.raises(RuleSetError) as error:
        RuleSet.from_json({**PRESETS["pl-3"].to_json(), **change})
    assert error.value.option == option


def test_a_record_form_with_an_option_missing_is_refused():
    for data in (None, [], {}):
        with pytest.raises(RuleSetError):
            RuleSet.from_json(data)
    form = PRESETS["pl-3"].to_json()
    del form["void"]
    with pytest.raises(RuleSetError, match="void: is missing"):
        RuleSet.from_json(form)


def test_an_option_added_later_is_off_where_a_form_lacks_it_and_the_hash_stays(monkeypatch):
    rules = replace(PRESETS["ru-3"], concession=Concession(), barrel=Barrel(attempts=3, clamp=True))
    older = rules.to_json()
    del older["golden_raise"], older["concession"]["limit"], older["barrel"]["falls"]
    with pytest.raises(RuleSetError):
        RuleSet.from_json(older)
    monkeypatch.setattr(ruleset, "LATER", frozenset({"golden_raise", "concession.limit", "barrel.falls"}))
    assert RuleSet.from_json(older) == rules
    options = {name: value for name, value in older.items() if name not in ("name", "base")}
    text = json.dumps(options, sort_keys=True, separators=(",", ":"))
    assert rules.hash == hashlib.sha256(text.encode()).hexdigest()
    assert RuleSet.from_json(rules.to_json()) == rules
    assert replace(rules, concession=None, barrel=None).hash != rules.hash
    used = replace(rules, golden_raise=True), replace(rules, barrel=replace(rules.barrel, falls=3))
    assert len({rules.hash, *(other.hash for other in used)}) == 3


def test_every_option_is_described_once_and_every_description_has_an_option():
    names = [option.name for option in OPTIONS]
    assert names == [field.name for field in fields(RuleSet) if field.name not in ("name", "base")]
    assert [f"barrel.{field.name}" for field in fields(Barrel)] == [option.name for option in BARREL_OPTIONS]
    assert [f"concession.{f.name}" for f in fields(Concession)] == [
        option.name for option in CONCESSION_OPTIONS
    ]
    for option in (*OPTIONS, *BARREL_OPTIONS, *CONCESSION_OPTIONS):
        assert option.meaning.endswith(".")
        assert option.values
