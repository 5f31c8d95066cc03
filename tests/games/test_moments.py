"""Steps of a deal: each shows the table as the engine showed it to everybody who sat there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.record import replay
from games import moments

CASES = Path(__file__).parent.parent / "cases"
RECORDS = [
    json.loads(line)
    for name in ("presets", "edge")
    for line in (CASES / f"{name}.jsonl").read_text().splitlines()
]


def seen_by(zones, view):
    """The cards of those zones whose faces a view sees, None where it sees none of them."""
    found = [[shown.card.text for shown in zone.cards] for zone in zones if view in zone.seen]
    return (found if len(found) > 1 else found[0]) if found else None


def assert_as_seen(moment, view, told):
    """The moment in a replay's view holds what the engine told then: ``told`` is a seat's view, or the public one."""
    assert (moment.declarer, moment.bid, moment.contract) == (told["declarer"], told["bid"], told["contract"])
    assert list(moment.points) == told["points"]
    assert moment.stock == told["stock"]
    assert [[laid.seat, laid.shown.card.text] for laid in moment.table] == told["trick"]
    assert (moment.trump.text[1] if moment.trump else None) == told["trump"]
    assert seen_by(moment.talons, view) == told["talon"]
    if view != moments.LIVE and moment.hands[int(view)] is not None:
        assert seen_by([moment.hands[int(view)]], view) == told["hand"]
        assert (seen_by([moment.away], view) or []) == told["discarded"]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["match"])
def test_a_step_shows_to_each_view_what_was_told_at_the_table(record):
    told, lists, game = {}, {}, None
    for step in replay(record):
        game = step.game
        lists.setdefault(step.deal, []).append(step.legal)
        if not step.forced and step.deal % 4 == 0:
            views = {str(seat): game.view(seat) for seat in range(len(record["seats"]))}
            told[step.deal, step.number] = {**views, moments.LIVE: game.public()}
    for number, (deal, _, _) in enumerate(game.finished):
        for moment in moments.moments(deal, lists[number], game.ruleset.dark_bid):
            for view, then in told.get((number, moment.number - 1), {}).items():
                assert_as_seen(moment, view, then)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["match"])
def test_at_each_decision_the_legal_cards_are_lit_and_the_one_played_is_chosen(record):
    number = len(record["deals"])
    for moment in moments.of_record(record, number)[:-1]:
        shown = [shown for zone in moment.hands if zone for shown in zone.cards]
        allowed = {text[5:] for text in moment.legal if text.startswith(("play:", "meld:", "give:"))}
        allowed |= {text[8:] for text in moment.legal if text.startswith("discard:")}
        assert {one.card.text for one in shown if "lit" in one.state} == allowed
        chosen = {one.card.text for one in shown if "chosen" in one.state}
        assert chosen == ({moment.action.partition(":")[2]} & allowed)
    assert moments.of_record(record, number + 1) == ()
