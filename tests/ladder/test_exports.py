"""Downloads of a season: every public match once, records byte for byte, nothing of an open block."""

from __future__ import annotations

import csv
import io
import json

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.test import AsyncClient

from botapi.house_bots import enter_house_bots
from engine import PRESETS
from engine.record import verify
from games import cli, queue, results
from games.models import MatchRecord
from ladder import exports, seasons
from ladder.rating_log import rate_finished
from tests.games import making

pytestmark = pytest.mark.django_db

RULES = PRESETS["cz-3-short"]


@pytest.fixture
def season():
    enter_house_bots()
    return seasons.open_season(seasons.create_season("spring", name="Spring", ruleset=RULES))


def played(season, **changes):
    match = making.match(rules=RULES, series=season.series, **changes)
    claim = queue.claim(match.pk, "tester")
    assert results.finish(match.pk, claim.attempt, making.result_of(claim))
    match.refresh_from_db()
    return match


def download(address):
    """As the ASGI server sends it: status and the whole text."""

    async def read():
        answer = await AsyncClient().get(f"/api/v1/seasons/{address}")
        if not answer.streaming:
            return answer, answer.content.decode()
        return answer, "".join([part.decode() async for part in answer])

    return async_to_sync(read)()


def test_records_come_in_the_order_of_their_ends_byte_for_byte_and_can_be_verified(
    season, tmp_path, monkeypatch
):
    monkeypatch.setattr(exports, "CHUNK", 2)
    made = [played(season) for _ in range(5)]
    answer, text = download("spring/records.ndjson")
    assert answer["Content-Type"] == "application/x-ndjson; charset=utf-8"
    assert "spring.ndjson" in answer["Content-Disposition"]
    assert text.splitlines() == [MatchRecord.objects.get(match=match).body for match in made]
    for line in text.splitlines():
        verify(json.loads(line))
    path = tmp_path / "spring.ndjson"
    path.write_text(text)
    assert cli.main(["verify", str(path)]) == 0
    _, rest = download(f"spring/records.ndjson?after={made[2].finish_seq}")
    assert rest.splitlines() == text.splitlines()[3:]
    assert download("spring/records.ndjson?after=x")[0].status_code == 404


def test_open_withdrawn_and_withheld_matches_are_left_out(season):
    made = played(season)
    void = played(season)
    results.void(void, reason="for the test")
    making.match(rules=RULES, series=season.series)
    played(season, block=4, rotation=0)
    last = making.match(rules=RULES, series=season.series, block=4, rotation=1)
    after_it = played(season)
    assert len(download("spring/records.ndjson")[1].splitlines()) == 1
    rows = list(csv.DictReader(io.StringIO(download("spring/results.csv")[1])))
    assert {row["match"] for row in rows} == {str(made.pk)}
    results.void(last, reason="for the test")
    resumed = download(f"spring/records.ndjson?after={made.finish_seq}")[1].splitlines()
    assert len(resumed) == 2
    assert json.loads(resumed[-1])["match"] == str(after_it.pk)


@pytest.mark.parametrize("query", range(4))
def test_a_table_that_ends_while_a_download_looks_for_it_waits_until_its_cards_are_public(season, query):
    made = played(season)
    tables = [making.match(rules=RULES, series=season.series, block=4, rotation=turn) for turn in range(2)]
    claim = queue.claim(tables[0].pk, "tester")
    told = making.result_of(claim)
    asked = []

    def meanwhile(execute, sql, params, many, context):
        asked.append(sql)
        if len(asked) == query + 1:
            assert results.finish(tables[0].pk, claim.attempt, told)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(meanwhile):
        found = list(exports.public_matches(season, 0))
    assert [match.pk for match in found] == [made.pk]


def test_results_have_a_line_a_seat_and_the_ladder_a_line_a_bot(season, monkeypatch):
    monkeypatch.setattr(exports, "CHUNK", 2)
    assert download("spring/results.csv")[1].count("\n") == 1
    made = [played(season, rated=True) for _ in range(3)]
    rows = list(csv.DictReader(io.StringIO(download("spring/results.csv")[1])))
    expected = [
        (str(match.pk), str(seat.index), seat.name, str(seat.total), str(seat.place))
        for match in made
        for seat in match.seats.order_by("index")
    ]
    keys = ("match", "seat", "bot", "total", "place")
    assert [tuple(row[key] for key in keys) for row in rows] == expected
    rate_finished(season.pools.get())
    answer, text = download("spring/standings.csv")
    ladder = list(csv.DictReader(io.StringIO(text)))
    assert answer["Content-Type"].startswith("text/csv")
    assert {row["bot"] for row in ladder} == {"greedy", "counter", "random"}
    assert {row["matches"] for row in ladder} == {"3"}


def test_no_season_no_download(season):
    seasons.create_season("draft", name="Draft", ruleset=RULES)
    for file in ("records.ndjson", "results.csv", "standings.csv"):
        assert download(f"none/{file}")[0].status_code == 404
        assert download(f"draft/{file}")[0].status_code == 404
