"""Rules as people call them: never "custom", and where the name leads to."""

import dataclasses

import pytest

from engine import PRESETS
from games import practice
from games.rules_names import preset_of, rules_name
from tests.games import making, seated

BASE = PRESETS["pl-3"]


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_preset_is_called_by_its_name(name):
    assert rules_name(PRESETS[name].to_json()) == name


def test_options_of_a_preset_are_that_preset_whatever_the_record_calls_them():
    form = {**PRESETS["cz-3-short"].to_json(), "name": "custom", "base": "cz-3"}
    assert preset_of(form) == rules_name(form) == "cz-3-short"


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (practice.short_game(BASE), "pl-3, short game"),
        (practice.short_game(PRESETS["pl-2-draw"]), "pl-2-draw, short game"),
        (dataclasses.replace(BASE, deal_limit=1), "pl-3, 1 deal"),
        (dataclasses.replace(BASE, deal_limit=8), "pl-3, 8 deals"),
        (dataclasses.replace(BASE, deal_limit=8, claim=False), "pl-3, changed"),
        (dataclasses.replace(BASE, target=500), "pl-3, short game"),
        (dataclasses.replace(BASE, target=700), "pl-3, changed"),
    ],
)
def test_changed_rules_are_called_by_the_preset_they_come_from_and_what_is_usual_in_words(rules, words):
    assert preset_of(rules.to_json()) == ""
    assert rules_name(rules.to_json()) == words


@pytest.mark.django_db
def test_pages_never_say_custom_and_lead_to_what_was_changed(client):
    match = making.finished()
    waiting = making.match()
    practised = seated.sit(seated.person())
    for address in ("/matches/", f"/matches/{match.pk}/", f"/matches/{waiting.pk}/", "/live/", "/"):
        page = client.get(address).content.decode()
        assert "custom" not in page, address
    page = client.get(f"/matches/{match.pk}/").content.decode()
    address = f"/docs/rules/differences/?match={match.pk}"
    assert f'<a href="{address}">pl-3, 2 deals</a>' in page
    shown = client.get(address).content.decode()
    assert f"Rules of Match {match.pk}" in shown
    assert "<code>deal_limit</code>" in shown
    assert shown.count('<th scope="rowgroup"') == 1
    assert practised.rules_name == "custom", "the API and records keep the word of the protocol"


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["0", "x", "9" * 30, "%00", "1%00", "-1", "1.5"])
@pytest.mark.parametrize("kind", ["match", "season", "event", "tournament"])
def test_what_is_not_there_has_no_rules(client, kind, key):
    assert client.get(f"/docs/rules/differences/?{kind}={key}").status_code in (200, 404)
    assert client.get(f"/docs/rules/differences/?{kind}=nothing").status_code == 404
