"""Self-played matches of every preset: each is laid out and stepped through, and what is special in it is said in words."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import render_to_string

from engine import PRESETS, Game
from games.replays import match_page
from games.row_templates import rows
from games.step_rows import step_rows

CASES = Path(__file__).parent.parent / "cases"
WORKED = [
    json.loads(line)
    for name in ("presets", "edge")
    for line in (CASES / f"{name}.jsonl").read_text().splitlines()
]
WORDS = {
    "golden": "Golden deal: forehand plays 120 without an auction",
    "dark": "plays dark: every score counts twice.",
    "void": "The deal is void, and the same dealer deals again.",
    "concession": "concedes at",
    "claim": "claims ",
    "sit-out": "sits out",
    "draw": "draws",
    "over-marriage": "over the neighbour's queen",
    "marriage": "melds ",
    "barrel": "on the barrel",
    "bolt": "bolt 1 of",
    "cut": "pays 120.",
}


def wild(name: str, number: int, most: int = 12) -> dict[str, Any]:
    """A match of ``name`` at random, bold in what is rare: dark bids, concessions, melds, claims."""
    draw = random.Random(f"{name} {number}")
    game = Game(PRESETS[name], seed=draw.randbytes(32))
    while game.seat is not None and len(game.finished) < most:
        legal = game.legal
        rare = [text for text in legal if text.startswith(("meld:", "claim", "dark"))]
        low = [text for text in legal if text == "pass" or text == legal[0]]
        game.apply(
            draw.choice(rare if rare and draw.random() < 0.8 else low if draw.random() < 0.5 else legal)
        )
    seats = [{"name": f"bot-{'abcd'[seat]}", "version": "1"} for seat in range(len(game.totals))]
    return game.record(match=f"{name}-{number}", seats=seats)


def special(record: dict[str, Any]) -> Iterator[str]:
    """What a record's own numbers and actions say of special events, by the keys of WORDS."""
    rules = record["rules"]
    for deal in record["deals"]:
        actions = [text for _, text in deal["actions"]]
        if deal["void"]:
            yield "void"
            continue
        yield from (word for word, text in (("concession", "concede"), ("claim", "claim")) if text in actions)
        if any(text.startswith("meld:") for text in actions):
            yield "marriage"
        if rules["dealer_sits_out"]:
            yield "sit-out"


@pytest.mark.parametrize("name", PRESETS)
def test_a_match_of_every_preset_is_laid_out_and_its_special_deals_are_told(name: str) -> None:
    record = wild(name, 1)
    page = match_page(record)
    text = rows("games/replay.html", replay=page, base="/matches/1/").replace("&#x27;", "'")
    for event in set(special(record)):
        assert WORDS[event] in text, event
    for deal in page.deals:
        words = " ".join(deal.words)
        assert ("golden" in deal.kind) == (WORDS["golden"] in words)
        assert ("dark" in deal.kind and "void" not in deal.kind) == (WORDS["dark"] in words)
    for row in step_rows(record, len(page.deals)):
        assert render_to_string("games/_moment.html", {"step": row, "steps": 1, "view": "live"})


def test_worked_and_self_played_matches_together_bring_about_every_special_event() -> None:
    told: list[str] = []
    for record in [*WORKED, *(wild(name, 2) for name in ("pl-4-all", "ru-3-gold", "pl-2-draw", "pl-4-sit"))]:
        for deal in match_page(record).deals:
            told += [*deal.words, *(row.words for row in deal.results)]
            told += [meld for trick in deal.tricks for meld in trick.melds]
            told += ["draws"] if any(trick.drawn for trick in deal.tricks) else []
    everything = "\n".join(told)
    assert [event for event, words in WORDS.items() if words not in everything] == []
