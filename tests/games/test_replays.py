"""Replays: every worked match is laid out as its record says."""

from __future__ import annotations

import json
import re
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
def test_each_seat_of_a_deal_is_told_what_it_got_and_how(record):
    page = match_page(record)
    for deal, written in zip(page.deals, record["deals"], strict=True):
        assert [row.score for row in deal.results] == written["scores"]
        assert [row.total for row in deal.results] == written["totals"]
        assert [row.points for row in deal.results] == written["points"]
        if "void" in deal.kind:
            assert "The deal is void, and the same dealer deals again." in deal.words
        else:
            assert all(row.words for row in deal.results)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["match"])
def test_a_score_that_is_not_the_plain_one_says_why(record):
    reasons = (
        "doubled",
        "barrel",
        "bolt",
        "cut",
        "held at",
        "stays at",
        "fall",
        "concession",
        "conceded",
        "sits out",
    )
    for deal in match_page(record).deals:
        for row in deal.results:
            plain = {0, row.points, int(re.search(r"rounded to (\d+)|$", row.words)[1] or row.points)}
            if row.seat == deal.declarer and deal.contract:
                plain = {deal.contract if deal.made else -deal.contract}
            assert row.score in plain or any(reason in row.words for reason in reasons), (deal.number, row)
            if row.score == 0 and row.points and row.seat != deal.declarer:
                assert any(reason in row.words for reason in (*reasons, "rounded to 0")), (deal.number, row)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["match"])
def test_the_auction_table_says_every_bid_and_pass_once(record):
    for deal, written in zip(match_page(record).deals, record["deals"], strict=True):
        for seat in range(len(record["seats"])):
            column = [call for row in deal.auction if (call := row[seat])]
            said = [
                text for who, text in written["actions"] if who == seat and text.startswith(("bid:", "pass"))
            ]
            told = [call.removeprefix("looks, ") for call in column if call != "looks" and "dark" not in call]
            assert told == [text.removeprefix("bid:") for text in said]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["match"])
def test_the_whole_stock_is_drawn_by_who_then_plays_it(record):
    for deal, written in zip(match_page(record).deals, record["deals"], strict=True):
        drawn = [(seat, card.text) for trick in deal.tricks for seat, card in trick.drawn]
        if deal.tricks and "claimed" not in deal.kind:
            assert [text for _, text in drawn] == [card.text for card in deal.stock]
        played = {(seat, text[5:]) for seat, text in written["actions"]} if deal.tricks else set()
        assert "claimed" in deal.kind or set(drawn) <= played


def test_what_the_declarer_still_needs_falls_to_nothing_when_the_contract_is_made():
    for record in RECORDS:
        for deal in match_page(record).deals:
            if deal.made and deal.tricks and "claimed" not in deal.kind:
                leftovers = sum(deal.points) - sum(trick.points for trick in deal.tricks)
                assert deal.tricks[-1].needed == 0 or leftovers
            if trick_points := [trick.own for trick in deal.tricks if trick.own is not None]:
                assert trick_points == sorted(trick_points)
