"""Deals of a season: counted once each, from records, as they become public; page and API say the same."""

from __future__ import annotations

import json
import re

import pytest
from django.utils import timezone

from botapi.house_bots import enter_house_bots
from engine import PRESETS
from games import queue, results
from games.models import Match, MatchRecord
from ladder import deal_counting, seasons, tasks
from ladder.deal_counting import count_deals, tally_of
from ladder.deal_tally import Counter, Tally
from ladder.models import DealTally
from tests.games import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def season():
    enter_house_bots()
    return seasons.open_season(seasons.create_season("spring", name="Spring", ruleset=PRESETS["cz-3-short"]))


def queued(season, **block):
    return making.match(rules=PRESETS["cz-3-short"], series=season.series, **block)


def play(match):
    claim = queue.claim(match.pk, "tester")
    assert results.finish(match.pk, claim.attempt, making.result_of(claim))
    match.refresh_from_db()
    return match


def counted_from(*matches):
    """The tally that the records of these matches make, counted at once."""
    rules = PRESETS["cz-3-short"]
    tally = Tally.empty(rules)
    counter = Counter(rules, tally)
    for match in matches:
        counter.add(json.loads(MatchRecord.objects.get(match=match).body))
    return tally


def test_matches_are_counted_once_each_however_often_and_in_however_small_steps(season, monkeypatch):
    monkeypatch.setattr(deal_counting, "BATCH", 2)
    first = [play(queued(season)) for _ in range(3)]
    assert count_deals(season) == 3
    assert count_deals(season) == 0
    more = play(queued(season))
    queued(season)
    tasks.count_deals()
    tasks.count_deals()
    assert tally_of(season) == counted_from(*first, more)
    assert tally_of(season).matches == 4
    assert tally_of(season).decks == sum(len(json.loads(m.record.body)["deals"]) for m in [*first, more])


def test_a_block_is_counted_once_and_only_when_its_last_table_has_ended(season):
    tables = [queued(season, block=9, rotation=turn) for turn in range(3)]
    play(tables[0])
    later = play(queued(season))
    assert count_deals(season) == 1
    assert tally_of(season) == counted_from(later)
    row = DealTally.objects.get(season=season)
    assert (row.counted_to, row.ahead) == (0, [later.finish_seq])
    play(tables[1])
    assert count_deals(season) == 0
    play(tables[2])
    assert count_deals(season) == 1
    assert tally_of(season) == counted_from(tables[0], later)
    row.refresh_from_db()
    assert (row.counted_to, row.ahead) == (tables[2].finish_seq, [])
    last = play(queued(season))
    assert count_deals(season) == 1
    row.refresh_from_db()
    assert (row.counted_to, row.ahead) == (last.finish_seq, [])


def test_a_match_declared_void_afterwards_was_dealt_all_the_same(season):
    match = play(queued(season))
    results.void(match, reason="for the test")
    assert count_deals(season) == 1
    assert tally_of(season).matches == 1


def test_a_block_whose_first_table_was_never_dealt_is_counted_by_another(season):
    tables = [queued(season, block=9, rotation=turn) for turn in range(3)]
    results.void(tables[0], reason="somebody did not start")
    play(tables[2])
    assert count_deals(season) == 0
    play(tables[1])
    assert count_deals(season) == 2
    assert tally_of(season) == counted_from(tables[1])
    assert count_deals(season) == 0


def test_a_block_whose_first_table_was_played_again_or_declared_void_is_counted_once(season):
    tables = [queued(season, block=9, rotation=turn) for turn in range(3)]
    first = play(tables[0])
    again = results.repeat(first, reason="for the test")
    assert again.block == 9
    play(again)
    play(tables[2])
    play(tables[1])
    results.void(again, reason="for the test")
    assert count_deals(season) == 4
    assert tally_of(season) == counted_from(first)
    results.void(tables[1], reason="for the test")
    assert count_deals(season) == 0


def test_tables_for_which_another_stands_are_not_looked_at_again_once_no_block_is_open(season):
    done = [play(queued(season, block=9, rotation=turn)) for turn in range(2)]
    waiting = queued(season, block=9, rotation=2)
    assert count_deals(season) == 0
    assert DealTally.objects.get(season=season).counted_to == 0
    last = play(waiting)
    assert count_deals(season) == 1
    assert DealTally.objects.get(season=season).counted_to == last.finish_seq
    assert tally_of(season) == counted_from(done[0])


def test_page_and_api_show_counts_with_what_is_expected_and_read_no_record(
    season, client, django_assert_num_queries
):
    assert "No match of this season" in client.get("/seasons/spring/deals/").content.decode()
    for _ in range(5):
        play(queued(season))
    count_deals(season)
    MatchRecord.objects.all().delete()
    with django_assert_num_queries(2):
        page = client.get("/seasons/spring/deals/").content.decode()
    answer = client.get("/api/v1/seasons/spring/deals/").json()
    tally = tally_of(season)
    assert (answer["matches"], answer["decks"]) == (5, tally.decks)
    assert [place["name"] for place in answer["places"]] == ["forehand", "second", "third", "talon"]
    for row, name in zip(answer["cards"], range(24), strict=True):
        assert row["counts"] == [place[name] for place in tally.cards]
        assert sum(row["counts"]) == tally.decks
    assert answer["expected"] == [tally.decks * size / 24 for size in (7, 7, 7, 3)]
    figures = {figure["key"]: figure for figure in answer["figures"]}
    assert figures["with_marriage"]["expected"] == pytest.approx(3 * 1369 / 4807 * tally.decks)
    assert figures["with_marriage"]["seen"] == tally.figures["with_marriage"].total
    assert {figure["expected"] for figure in answer["points_by_seat"]} == {35.0}
    assert 0 < answer["p"] <= 1
    assert page.count("<circle") == 24 * 4
    by_seat = page.partition('aria-label="Card points by seat"')[2].partition("</table>")[0]
    assert re.findall(r'<th scope="row">(\w+)</th>', by_seat) == ["1", "2", "3"]
    assert str(tally.decks) in page


@pytest.mark.parametrize("preset", ["pl-4-sit", "pl-2", "pl-2-draw", "pl-4-all"])
def test_the_page_of_every_kind_of_table_opens(client, preset):
    season = seasons.open_season(seasons.create_season("other", name="Other", ruleset=PRESETS[preset]))
    names = ["greedy", "counter", "random", "careful"][: season.players]
    play(making.match([making.house(name) for name in names], rules=PRESETS[preset], series=season.series))
    count_deals(season)
    assert client.get("/seasons/other/deals/").status_code == 200
    assert client.get("/api/v1/seasons/other/deals/").json()["matches"] == 1
    assert client.get("/seasons/none/deals/").status_code == 404
    assert Match.objects.filter(finished_at__lte=timezone.now()).count() == 1
