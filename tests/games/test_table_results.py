"""What people at a table are told of its finished deals while it goes on: scores, contracts, words, no card."""

from __future__ import annotations

import re

import pytest

from botapi.house import Draws, choose
from engine import PRESETS, Game
from games import queue, table_results
from games.models import Match
from games.people_models import JournalEntry
from tests.games import making

pytestmark = pytest.mark.django_db
NAMES = ("You", "greedy", "counter")
CARD = re.compile(r"[♠♣♦♥]")


def table(klass: Match.Class, deals: int) -> tuple[Match, Game]:
    """A table whose journal goes on into deal ``deals`` + 1, and the same game."""
    match = making.match(rules=PRESETS["pl-3"], klass=klass)
    Match.objects.filter(pk=match.pk).update(attempt=1, people=True)
    match.refresh_from_db()
    game = Game(PRESETS["pl-3"], seed=queue.seed_of(match, 1))
    draws, entries = Draws(bytes(32), 0), list[JournalEntry]()
    while len(game.finished) < deals or len(entries) % 7:
        assert game.seat is not None
        seat, action = game.seat, choose("greedy", game.view(game.seat), game.legal, draws)
        entries.append(JournalEntry(match=match, number=len(entries), attempt=1, seat=seat, action=action))
        game.apply(action)
    JournalEntry.objects.bulk_create(entries)
    return match, game


@pytest.mark.parametrize("klass", [Match.Class.PEOPLE, Match.Class.EVENT])
def test_those_at_a_table_see_its_score_sheet_without_a_card(klass: Match.Class) -> None:
    match, game = table(klass, deals=3)
    found = table_results.results(match.pk, 3, NAMES, 0)
    assert found is not None
    assert [row.number for row in found.sheet] == [3, 2, 1]
    assert [row.totals for row in reversed(found.sheet)] == [totals for _, _, totals in game.finished[:3]]
    assert [row.score for row in found.rows] == list(game.finished[2][1])
    words = [row.words for row in found.rows]
    assert any(words)
    assert not any(CARD.search(text) for text in words)


def test_a_table_of_bots_alone_tells_nobody_while_it_goes_on() -> None:
    match, _ = table(Match.Class.LADDER, deals=1)
    assert table_results.results(match.pk, 1, NAMES, 0) is None
