"""Replays: every worked match is laid out as its record says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from games.replays import match_page

CASES = Path(__file__).parent.parent / "cases"
RECORDS = [
    json.loads(line)
    for name in ("presets", "edge")
    for line in (CASES / f"{name}.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["match"])
def test_a_replay_agrees_with_its_record_deal_by_deal(record):
    page = match_page(record)
    assert len(page.deals) == len(record["deals"])
    for deal, written in zip(page.deals, record["deals"], strict=True):
        assert list(deal.totals) == written["totals"]
        assert list(deal.scores) == written["scores"]
        assert deal.contract == written["contract"]
        plays = [action for _, action in written["actions"] if action.startswith(("play:", "meld:"))]
        shown = [cell for trick in deal.tricks for cell in trick.cells if cell]
        assert sorted(cell.card.text for cell in shown) == sorted(action[5:] for action in plays)
        assert sum(cell.melds for cell in shown) == sum(action.startswith("meld") for action in plays)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["match"])
def test_the_words_of_a_deal_name_every_score(record):
    page = match_page(record)
    for deal in page.deals:
        if "void" in deal.kind:
            assert "The deal is void; the same dealer deals again." in deal.words
            continue
        told = [word for word in deal.words if "; total " in word]
        for word, score in zip(told, deal.scores, strict=True):
            sign = f"+{score}" if score > 0 else f"−{-score}" if score else "0"
            assert f", {sign}" in word or f"but {sign} (" in word or "sits out" in word, (word, score)


def test_what_the_declarer_still_needs_falls_to_nothing_when_the_contract_is_made():
    for record in RECORDS:
        for deal in match_page(record).deals:
            if deal.made and deal.tricks and "claimed" not in deal.kind:
                leftovers = sum(deal.points) - sum(trick.points for trick in deal.tricks)
                assert deal.tricks[-1].needed == 0 or leftovers
