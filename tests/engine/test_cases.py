"""The worked matches: they replay with their legal lists, and through the text notation."""

import copy

import pytest

from engine import PRESETS, RuleSet, notation
from engine.record import legal_lists, verify
from engine.ruleset import LATER

from .tables import cases

RECORDS = cases()


@pytest.mark.parametrize("record", RECORDS, ids=[record["match"] for record in RECORDS])
def test_a_worked_match_replays_with_all_its_legal_lists(record):
    verify(record)
    assert legal_lists(record) == [deal["legal"] for deal in record["deals"]]
    rules = RuleSet.from_json(record["rules"]).to_json()
    assert record["rules"].items() <= rules.items()
    assert set(rules) - set(record["rules"]) <= LATER


@pytest.mark.parametrize("record", RECORDS, ids=[record["match"] for record in RECORDS])
def test_a_worked_match_survives_the_text_notation(record):
    bare = copy.deepcopy(record)
    for deal in bare["deals"]:
        del deal["legal"]
    rules = RuleSet.from_json(bare["rules"]).to_json()
    assert notation.read(notation.write(bare)) == {**bare, "rules": rules}


def test_there_is_a_case_for_every_preset():
    assert {record["rules"]["name"] for record in RECORDS} - {"custom"} == set(PRESETS)
