"""What the public pages show of play, pairs, rules, records and practice is in the API too, with the same numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from botapi import tokens
from engine import PRESETS, notation
from engine.wording import differences
from games.models import Match, Seat
from ladder import pairs
from ladder.models import Pool
from ladder.play_counting import count_play, tally_of
from ladder.rating_log import rate_finished
from tests.games import making as games_making
from tests.games import seated
from tests.ladder import making
from tests.ladder.test_play_counting import recorded

pytestmark = pytest.mark.django_db
Queries = Callable[[int], Any]


@pytest.fixture(autouse=True)
def _fresh_throttles() -> None:
    cache.clear()


@pytest.fixture
def pool() -> Pool:
    pool = making.pool()
    for match in making.season_of_matches(pool, making.versions(4, house=1), 12):
        recorded(match)
    rate_finished(pool)
    count_play(pool)
    return pool


def test_a_bots_play_is_told_in_counts(
    pool: Pool, client: Client, django_assert_num_queries: Queries
) -> None:
    bot = pool.ratings.order_by("pk")[0].version.bot
    tally = tally_of(pool, bot)
    with django_assert_num_queries(4):
        told = client.get(f"/api/v1/bots/{bot.name}/play/?season=spring").json()
    assert (told["bot"], told["season"], told["matches"]) == (bot.name, "spring", tally.matches)
    assert sum(line["matches"] for line in told["places_by_seat"]) == tally.matches > 0
    assert all(sum(line["places"]) == line["matches"] for line in told["places_by_seat"])
    assert {bar["low"]: bar["matches"] for bar in told["scores"]} == dict(tally.scores)
    sizes = {line["contract"]: (line["declared"], line["made"]) for line in told["contracts"]}
    assert sizes == {size: (one.declared, one.made) for size, one in tally.contracts.items()}
    assert client.get("/api/v1/bots/nobody/play/").status_code == 404
    assert client.get(f"/api/v1/bots/{bot.name}/play/?season=none").status_code == 404


def test_the_matrix_has_each_pair_from_both_sides(
    pool: Pool, client: Client, django_assert_num_queries: Queries
) -> None:
    with django_assert_num_queries(4):
        told = client.get("/api/v1/seasons/spring/matrix/").json()
    bots, left_out = pairs.best(pool)
    assert told["bots"] == [bot.name for bot in bots]
    assert told["left_out"] == left_out == 0
    cells = {
        (row["bot"], other): cell
        for row in told["rows"]
        for other, cell in zip(told["bots"], row["meetings"], strict=True)
    }
    for (one, other), cell in cells.items():
        if one == other:
            assert cell is None
        else:
            assert cell["matches"] > 0
            assert cell["ahead"] == cells[other, one]["behind"]
    assert client.get("/api/v1/seasons/none/matrix/").status_code == 404


def test_presets_are_told_in_options_and_words_and_two_by_their_differences(client: Client) -> None:
    told = client.get("/api/v1/rules/").json()
    assert {line["name"]: line["hash"] for line in told} == {
        name: rules.hash for name, rules in PRESETS.items()
    }
    one = client.get("/api/v1/rules/ru-3/").json()
    values = {option["name"]: option["value"] for option in one["options"]}
    assert values["target"] == PRESETS["ru-3"].target
    assert "barrel.falls" in values
    sentences = [said for part in one["words"] for said in part["sentences"]]
    assert len(sentences) > 20
    for said in sentences:
        assert said["sentence"] == (said["key"] % said["parameters"] if said["parameters"] else said["key"])
    found = client.get("/api/v1/rules/differences/?a=pl-3&b=ru-3").json()
    expected = differences(PRESETS["pl-3"], PRESETS["ru-3"])
    assert [(line["option"], line["a"]["value"], line["b"]["value"]) for line in found] == [
        (one.option.name, *one.values) for one in expected
    ]
    for missing in ("rules/none/", "rules/differences/?a=pl-3", "rules/differences/?a=pl-3&b=%00"):
        assert client.get(f"/api/v1/{missing}").status_code == 404


def test_a_record_is_given_in_text_notation_with_an_etag(client: Client) -> None:
    match = games_making.finished()
    answer = client.get(f"/api/v1/matches/{match.pk}/record.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    record = client.get(f"/api/v1/matches/{match.pk}/record/").json()
    assert answer.content.decode() == notation.write(record)
    again = client.get(f"/api/v1/matches/{match.pk}/record.txt", headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(f"/api/v1/matches/{games_making.match().pk}/record.txt").status_code == 404


def test_won_practice_is_public_and_ones_own_figures_are_ones_own(client: Client) -> None:
    anna = seated.person()
    won = seated.sit(anna)
    Match.objects.filter(pk=won.pk).update(state="finished")
    Seat.objects.filter(match=won, index=0).update(total=1010, place=1, deals_declared=4, deals_made=3)
    (row,) = client.get("/api/v1/practice/games/").json()["results"]
    assert (row["match"], row["alias"], row["points"]) == (won.pk, "Anna", 1010)
    assert client.get("/api/v1/practice/mine/").json() == []
    anna.user = making.author("anna")
    anna.save()
    _, text = tokens.create_token(anna.user, name="test", scopes=["events:join"])
    (mine,) = client.get("/api/v1/practice/mine/", headers={"authorization": f"Token {text}"}).json()
    assert (mine["games"], mine["won"], mine["mean_points"]) == (1, 1, 1010.0)
    _, text = tokens.create_token(anna.user, name="other", scopes=["read"])
    assert client.get("/api/v1/practice/mine/", headers={"authorization": f"Token {text}"}).status_code == 403


def test_won_practice_is_ordered_as_on_the_page_and_named_by_its_preset(client: Client) -> None:
    won = []
    for total, short in ((520, True), (1010, False), (520, True), (640, True)):
        match = seated.sit(seated.person(), rules="nl-3", short=short)
        Match.objects.filter(pk=match.pk).update(state="finished")
        Seat.objects.filter(match=match, index=0).update(total=total, place=1)
        won.append(match.pk)

    def listed(address: str) -> list[int]:
        found = client.get(address).json()
        return [row["match"] for row in found["results"]] + (listed(found["next"]) if found["next"] else [])

    assert listed("/api/v1/practice/games/") == won[::-1]
    assert listed("/api/v1/practice/games/?order=unknown") == won[::-1]
    by_points = [won[1], won[3], won[2], won[0]]
    for size in (1, 3):
        assert listed(f"/api/v1/practice/games/?order=points&page_size={size}") == by_points
    page = client.get("/practice/?order=points").content.decode()
    assert [int(found) for found in re.findall(r'href="/matches/(\d+)/"', page)] == by_points
    rows = client.get("/api/v1/practice/games/").json()["results"]
    assert {row["rules"] for row in rows} == {"nl-3"}
    assert [row["short"] for row in rows] == [True, True, False, True]
